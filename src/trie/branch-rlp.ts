// The RLP of a branch as positions: finds a child, and writes the new hash of one, without decoding the others. Every read of
// state and every new root does this.
import { bytesToNumber } from '../bytes.js'
import { headerLength } from '../rlp/encode.js'

/** Length of the item of a child that begins with this byte; NaN if it is none of no child, a hash and an embedded node. */
function itemLength(head: number | undefined): number {
  if (head === 0xa0) return 33
  if (head === 0x80) return 1
  return head !== undefined && head >= 0xc0 && head < 0xdf ? head - 0xbf : Number.NaN
}

/** Where the first child begins. */
function firstChild(rlp: Uint8Array): number {
  return rlp[0]! < 0xf8 ? 1 : rlp[0]! - 0xf6
}

/** Whether this is the canonical RLP of a branch without a value. Embedded nodes are not looked at. */
export function isBranch(rlp: Uint8Array): boolean {
  const start = firstChild(rlp)
  let at = start
  for (let i = 0; i < 16; i++) at += itemLength(rlp[at])
  if (rlp[at] !== 0x80 || at + 1 !== rlp.length) return false
  const length = rlp.length - start
  return headerLength(length) === start && payloadLength(rlp, start) === length
}

/** The length that the header of a list says. */
function payloadLength(rlp: Uint8Array, start: number): number {
  return start === 1 ? rlp[0]! - 0xc0 : bytesToNumber(rlp.subarray(1, start))
}

/** A child in the RLP of a branch: a hash or the RLP of an embedded node, a view of it; undefined if there is none. */
export function childAt(rlp: Uint8Array, nibble: number): Uint8Array | undefined {
  const at = positionOf(rlp, nibble)
  const head = rlp[at]!
  if (head === 0x80) return undefined
  return head === 0xa0 ? rlp.subarray(at + 1, at + 33) : rlp.subarray(at, at + itemLength(head))
}

/** Writes the reference to a child into the RLP of a branch; false if it has another length than the one that is there. */
export function patchChild(rlp: Uint8Array, nibble: number, reference: Uint8Array): boolean {
  const at = positionOf(rlp, nibble)
  if (reference.length !== 32 || rlp[at] !== 0xa0) return false
  rlp.set(reference, at + 1)
  return true
}

function positionOf(rlp: Uint8Array, nibble: number): number {
  let at = firstChild(rlp)
  for (let i = 0; i < nibble; i++) at += itemLength(rlp[at])
  return at
}
