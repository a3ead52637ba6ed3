// Values that many folders share and that have no better owner.
import { hexToBytes } from './bytes.js'

/** A key, path, code or answer of no bytes. Shared, which is harmless: nothing can be written into it. */
export const noBytes: Uint8Array = new Uint8Array()

/** The largest integer of 64 bits. */
export const maxUint64 = 0xffff_ffff_ffff_ffffn

/** Root of a trie without leaves: the keccak of an empty RLP string. Its node is not stored. Shared: never change it. */
export const emptyRoot = hexToBytes('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')

/** Keccak of an empty RLP list: the hash of the uncles of a block that has none. Shared: never change it. */
export const emptyListHash = hexToBytes('1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')

/** Code hash of an account without code: the keccak of no bytes. It is not stored. Shared: never change it. */
export const emptyCodeHash = hexToBytes('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
