import { describe, expect, it } from 'vitest'
import { bytesToHex, uint64Bytes } from '../../src/bytes.js'
import { openState } from '../../src/state/open-state.js'
import { databaseOf } from './oracle-state.js'

const key = (text: string) => bytesToHex(new TextEncoder().encode(text))
const root = new Uint8Array(32).fill(1)

describe('openState', () => {
  it.each([
    ['the path scheme', 'path', new Map([[key('A'), root]]), 'path scheme, which this version does not read'],
    [
      'the path scheme in a snap sync',
      'path',
      new Map([[key('LastStateID'), uint64Bytes(5)]]),
      'path scheme',
    ],
    ['no state', undefined, new Map<string, Uint8Array>(), 'the directory holds no state'],
  ])(
    'opens a directory of %s, in which every state is unavailable for that reason',
    (_name, scheme, pairs, why) => {
      const source = openState(databaseOf(pairs))
      expect(source.scheme).toBe(scheme)
      expect(source.layoutOf(root)).toBeUndefined()
      expect(() => source.stateAt(root)).toThrow(
        expect.objectContaining({
          code: 'STATE_UNAVAILABLE',
          facts: { root: bytesToHex(root), available: expect.stringContaining(why) },
        }),
      )
    },
  )
})
