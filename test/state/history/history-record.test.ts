import { describe, expect, it } from 'vitest'
import { concatBytes, uint32Bytes, uint64Bytes } from '../../../src/bytes.js'
import {
  changeData,
  decodeHistoryMeta,
  findAccountChange,
  findSlotChange,
  isIncomplete,
} from '../../../src/state/history/history-record.js'

const hash = (n: number) => new Uint8Array(32).fill(n)
const address = (n: number) => new Uint8Array(20).fill(n)

describe('the meta item of a state history', () => {
  const item = concatBytes(Uint8Array.of(1), hash(2), hash(3), uint64Bytes(15_537_393))

  it('has version, both roots and the block', () => {
    expect(decodeHistoryMeta(item)).toEqual({
      version: 1,
      parent: hash(2),
      root: hash(3),
      block: 15_537_393,
      incomplete: new Uint8Array(),
    })
  })

  it('may name accounts whose slots are not all recorded', () => {
    const meta = decodeHistoryMeta(concatBytes(item, address(7), address(9)))
    expect(isIncomplete(meta, address(9))).toBe(true)
    expect(isIncomplete(meta, address(8))).toBe(false)
    expect(isIncomplete(decodeHistoryMeta(item), address(9))).toBe(false)
  })

  it('of another length is refused', () => {
    expect(() => decodeHistoryMeta(item.subarray(0, 72))).toThrow('expected 73 bytes')
    expect(() => decodeHistoryMeta(concatBytes(item, address(7).subarray(1)))).toThrow(RangeError)
  })
})

describe('the account index of a state history', () => {
  const entry = (n: number) =>
    concatBytes(address(n), Uint8Array.of(n), uint32Bytes(100 + n), uint32Bytes(200 + n), uint32Bytes(n * 2))
  const item = concatBytes(...[2, 4, 6, 8].map(entry))

  it('is searched by address', () => {
    for (const n of [2, 4, 6, 8]) {
      expect(findAccountChange(item, address(n))).toEqual({
        address: address(n),
        dataLength: n,
        dataStart: 100 + n,
        slotsStart: 200 + n,
        slotCount: n * 2,
      })
    }
    for (const n of [1, 3, 5, 7, 9]) expect(findAccountChange(item, address(n))).toBeUndefined()
    expect(findAccountChange(new Uint8Array(), address(2))).toBeUndefined()
  })

  it('of another length is refused', () => {
    expect(() => findAccountChange(item.subarray(1), address(2))).toThrow(
      'expected whole entries of 33 bytes',
    )
  })
})

describe('the storage index of a state history', () => {
  const entry = (n: number) => concatBytes(hash(n), Uint8Array.of(n), uint32Bytes(1000 + n))
  // Slots 5 and 9 of one account, then 1, 3 and 7 of another.
  const item = concatBytes(...[5, 9, 1, 3, 7].map(entry))

  it('is searched among the slots of one account', () => {
    const second = { slotsStart: 2, slotCount: 3 }
    for (const n of [1, 3, 7]) {
      expect(findSlotChange(item, hash(n), second)).toEqual({
        slot: hash(n),
        dataLength: n,
        dataStart: 1000 + n,
      })
    }
    expect(findSlotChange(item, hash(5), second)).toBeUndefined()
    expect(findSlotChange(item, hash(9), { slotsStart: 0, slotCount: 2 })).toBeDefined()
    expect(findSlotChange(item, hash(9), { slotsStart: 0, slotCount: 0 })).toBeUndefined()
  })

  it('that ends before the slots of an account is refused', () => {
    expect(() => findSlotChange(item, hash(7), { slotsStart: 3, slotCount: 3 })).toThrow(
      'expected 6 slots, found 5',
    )
  })
})

describe('the data of a change', () => {
  it('has the offset and length of its entry', () => {
    const data = Uint8Array.of(1, 2, 3, 4)
    expect(changeData(data, { dataStart: 1, dataLength: 2 })).toEqual(Uint8Array.of(2, 3))
    expect(changeData(data, { dataStart: 4, dataLength: 0 })).toEqual(new Uint8Array())
    expect(() => changeData(data, { dataStart: 3, dataLength: 2 })).toThrow(
      'expected at least 5 bytes, found 4',
    )
  })
})
