import { describe, expect, it } from 'vitest'
import { bytesToHex, uint64Bytes } from '../../src/bytes.js'
import { openState } from '../../src/state/open-state.js'
import { databaseOf } from './oracle-state.js'

const key = (text: string) => bytesToHex(new TextEncoder().encode(text))
const root = new Uint8Array(32).fill(1)

describe('openState', () => {
  it.each([
    ['the path scheme', new Map([[key('A'), root]])],
    ['the path scheme, of which the trie is not there yet', new Map([[key('LastStateID'), uint64Bytes(5)]])],
  ])('finds %s', (_name, pairs) => {
    expect(openState(databaseOf(pairs)).scheme).toBe('path')
  })

  it('opens a directory without state, in which every state is unavailable for that reason', () => {
    const source = openState(databaseOf(new Map()))
    expect(source.scheme).toBeUndefined()
    expect(source.layoutOf(root)).toBeUndefined()
    expect(() => source.stateAt(root)).toThrow(
      expect.objectContaining({
        code: 'STATE_UNAVAILABLE',
        facts: { root: bytesToHex(root), available: 'none: the directory holds no state' },
      }),
    )
  })
})
