// Runs the pieces of a long scan by workers and yields their results in the order of the pieces. At most two pieces for each
// worker and one more are in work or wait for the reader, so a slow reader slows the workers and memory stays bounded.
import { throwIfAborted } from '../stop.js'

/** The pieces of a scan, and what runs one of them. */
interface OrderedWork<Piece, Result> {
  /** The next piece; undefined after the last. */
  next(): Piece | undefined
  /** Gives a piece to a worker. */
  start(piece: Piece): Promise<Result>
  /** What of a piece a worker has not done, as pieces in order. */
  rest(piece: Piece, result: Result): readonly Piece[]
  readonly workers: number
  readonly signal: AbortSignal
}

/** A piece in its place in the order; without a task it has yet to be given to a worker. */
interface Slot<Piece, Result> {
  readonly piece: Piece
  task?: Promise<Result>
}

/** Yields each piece with its result. Throws what the tasks throw, and ABORTED. Leaving the loop does not stop what runs. */
export async function* runInOrder<Piece, Result>(
  work: OrderedWork<Piece, Result>,
): AsyncGenerator<{ readonly piece: Piece; readonly result: Result }, void, undefined> {
  const slots: Slot<Piece, Result>[] = []
  const begin = (slot: Slot<Piece, Result>) => {
    slot.task = work.start(slot.piece)
    // A failure is thrown when the result is read.
    slot.task.catch(() => {})
  }
  while (true) {
    throwIfAborted(work.signal)
    let open = slots.filter(({ task }) => task).length
    const mayStart = () => open <= 2 * work.workers
    for (const [i, slot] of slots.entries()) {
      if (slot.task || !(i === 0 || mayStart())) continue
      begin(slot)
      open++
    }
    while (mayStart()) {
      const piece = work.next()
      if (piece === undefined) break
      const slot: Slot<Piece, Result> = { piece }
      begin(slot)
      slots.push(slot)
      open++
    }
    const first = slots.shift()
    if (!first) return
    const result = await first.task!
    slots.unshift(...work.rest(first.piece, result).map((piece) => ({ piece })))
    yield { piece: first.piece, result }
  }
}
