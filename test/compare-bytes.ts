// Lets expectations compare arrays of bytes as a whole: element by element takes most of the time of tests with many of them.
import { expect } from 'vitest'

/** Equal arrays are equal; of others vitest itself shows the difference. */
function compareBytes(a: unknown, b: unknown): true | undefined {
  const areBytes = a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
  return areBytes && Buffer.compare(a, b) === 0 ? true : undefined
}

// Files that share a process share its testers.
const isAdded = Symbol.for('geth-reader compare bytes')
const shared = globalThis as { [isAdded]?: boolean }
if (!shared[isAdded]) expect.addEqualityTesters([compareBytes])
shared[isAdded] = true
