// Reports how many tasks a thread has for its workers. Not for every task, because most end before another thread could lend a
// worker.

/** A number is reported this long after it has changed, and so often at most. To start a worker takes about as long. */
const reportMilliseconds = 100

/** Reports the most tasks of each period if they are not those of the last report. */
export class TaskReports {
  readonly #report: (tasks: number) => void
  #tasks = 0
  #most = 0
  #reported = 0
  #timer: NodeJS.Timeout | undefined

  constructor(report: (tasks: number) => void) {
    this.#report = report
  }

  /** Notes how many tasks run or wait now. */
  note(tasks: number): void {
    this.#tasks = tasks
    this.#most = Math.max(this.#most, tasks)
    if (tasks !== this.#reported)
      this.#timer ??= setTimeout(() => this.#endPeriod(), reportMilliseconds).unref()
  }

  #endPeriod(): void {
    this.#timer = undefined
    const most = this.#most
    this.#most = this.#tasks
    if (most !== this.#reported) {
      this.#reported = most
      this.#report(most)
    }
    this.note(this.#tasks)
  }
}
