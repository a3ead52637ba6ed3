// The frames of a transaction in the order in which they were opened.
import type { TracedFrame } from '../../evm/tracing/frame-tree.js'
import type { TransactionFrames } from './executed-block.js'

/** A frame in its place. */
export interface VisitedFrame {
  readonly frame: TracedFrame
  /** Positions of the frame and of its openers in the lists of calls, outermost first; empty for the first frame. */
  readonly address: string
  /** Frames that it opened, as far as they are shown. */
  readonly calls: readonly TracedFrame[]
  readonly gas: bigint
  readonly gasUsed: bigint
}

interface FrameOrder {
  /** Between the positions of an address. */
  readonly separator: string
  /** Leaves out calls of precompiles, as geth's flatCallTracer does. */
  readonly skipsPrecompiles: boolean
}

/** Visits all frames, each before those that it opened. */
export function visitFrames(
  { first, gas, gasUsed, isPrecompileCall }: TransactionFrames,
  { separator, skipsPrecompiles }: FrameOrder,
  visit: (frame: VisitedFrame) => void,
): void {
  const shownCalls = ({ calls }: TracedFrame) =>
    skipsPrecompiles && calls.some(isPrecompileCall) ? calls.filter((call) => !isPrecompileCall(call)) : calls
  const visitFrame = (frame: TracedFrame, address: string, shown: Pick<VisitedFrame, 'gas' | 'gasUsed'>) => {
    const calls = shownCalls(frame)
    visit({ frame, address, calls, gas: shown.gas, gasUsed: shown.gasUsed })
    const start = address === '' ? '' : `${address}${separator}`
    for (const [i, call] of calls.entries())
      visitFrame(call, `${start}${i}`, { gas: call.entered.gas, gasUsed: call.gasUsed })
  }
  visitFrame(first, '', { gas, gasUsed })
}

/** Visits the frames whose changes lasted: neither they nor their openers failed. */
export function visitLastingFrames(frame: TracedFrame, visit: (frame: TracedFrame) => void): void {
  if (frame.error !== undefined) return
  visit(frame)
  for (const call of frame.calls) visitLastingFrames(call, visit)
}
