// Finds the state from which blocks are executed to make the state before another block.
import type { View } from './view.js'

/**
 * The newest block before a block whose state can be read, at most `maxLead` blocks before its parent. The parent itself if
 * there is none, so that an error names the state that was wanted.
 */
export function baseBefore(
  { chain, states }: Pick<View, 'chain' | 'states'>,
  number: number,
  maxLead: number,
): number {
  const wanted = number - 1
  const isReadable = (block: number) =>
    states.layoutOf(chain.header({ number: block })!.header.stateRoot) !== undefined
  let base = wanted
  while (base > 0 && wanted - base < maxLead && !isReadable(base)) base--
  return isReadable(base) ? base : wanted
}
