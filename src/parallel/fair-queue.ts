// The order in which tasks wait for a worker: those of one lane as they came, the lanes in turn. A query of many tasks
// has a lane of its own, so that it holds up others by one task at most, however many of its own are waiting.
import { queueOptionsSymbol, type TaskQueue } from 'piscina'

type Task = Parameters<TaskQueue['push']>[0]

/** Property of a task message that names its lane; a task without it is a lane by itself. */
export function inLane(lane: object | undefined): object {
  return lane === undefined ? {} : { [queueOptionsSymbol]: lane }
}

/** A queue for Piscina. */
export class FairQueue implements TaskQueue {
  /** Waiting tasks by lane; the first lane is next. No lane is empty. */
  readonly #lanes = new Map<object, Task[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(task: Task): void {
    const lane = laneOf(task)
    const tasks = this.#lanes.get(lane)
    if (tasks) tasks.push(task)
    else this.#lanes.set(lane, [task])
    this.#size++
  }

  /** Takes the next task; its lane's turn comes again when all others have had theirs. */
  shift(): Task | null {
    const [next] = this.#lanes
    if (next === undefined) return null
    const [lane, tasks] = next
    const task = tasks.shift()!
    this.#lanes.delete(lane)
    if (tasks.length > 0) this.#lanes.set(lane, tasks)
    this.#size--
    return task
  }

  /** Puts back a task that was shifted in vain: it is next again. */
  unshift(task: Task): void {
    const lane = laneOf(task)
    const tasks = [task, ...(this.#lanes.get(lane) ?? [])]
    this.#lanes.delete(lane)
    const others = [...this.#lanes]
    this.#lanes.clear()
    for (const [key, value] of [[lane, tasks] as const, ...others]) this.#lanes.set(key, value)
    this.#size++
  }

  remove(task: Task): void {
    const lane = laneOf(task)
    const tasks = this.#lanes.get(lane) ?? []
    const at = tasks.indexOf(task)
    if (at < 0) return
    tasks.splice(at, 1)
    if (tasks.length === 0) this.#lanes.delete(lane)
    this.#size--
  }
}

function laneOf(task: Task): object {
  return task[queueOptionsSymbol] ?? task
}
