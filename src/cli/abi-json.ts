// Reads the JSON of an ABI: its list, or an object that has it as `abi`, as compilers write it.
import type { AbiEvent } from '../abi/event-shape.js'

/** The items of an ABI. Throws TypeError for other text. */
export function parseAbiItems(text: string): readonly AbiEvent[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new TypeError(`expected the JSON of an ABI: ${(error as Error).message}`, { cause: error })
  }
  const list = Array.isArray(parsed) ? parsed : (parsed as { readonly abi?: unknown } | null)?.abi
  const isItem = (item: unknown) => typeof (item as AbiEvent | null)?.type === 'string'
  if (!Array.isArray(list) || !list.every(isItem)) {
    throw new TypeError('expected the list of an ABI, or an object that has one as "abi"')
  }
  return list as AbiEvent[]
}
