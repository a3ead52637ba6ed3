// Writes transactions of a block as geth's JSON. Follows RPCTransaction in internal/ethapi/api.go.
import { CONTEXT_HASH, CONTEXT_NUMBER, CONTEXT_TIMESTAMP, price, priceEnd, readEffectivePrice } from './block-context'
import { ITEM, ITEM_LENGTH } from './items'
import {
  JOB_CONTEXT,
  JOB_END,
  JOB_FIRST,
  JOB_HASHES,
  JOB_NEEDED,
  JOB_NEXT,
  JOB_SENDERS,
  JOB_TRANSACTIONS,
} from './json-job'
import { isList, payload, payloadEnd, readItem, readList } from './rlp'
import { put, putHex, putInteger, putQuantity } from './text'
import { blobCount, end, Field, has, readTransaction, start, transactionType } from './transaction-fields'

/** Most bytes of a transaction's text without what its input and its lists take. */
const TEXT: usize = 2048
/** Most characters for a byte in a list: an authorization of 27 bytes takes 122. */
const LIST_TEXT: usize = 6

/**
 * Writes transactions of a job (json-job.ts) with commas between them until one does not fit before `limit`. Returns the
 * end; 0 if one is damaged. 64 bytes after `limit` may be overwritten.
 */
export function writeTransactionsJson(job: usize, target: usize, limit: usize): usize {
  const context = <usize>load<u32>(job, JOB_CONTEXT)
  const last = load<u32>(job, JOB_END)
  for (let i = load<u32>(job, JOB_NEXT); i < last; i++) {
    const item = <usize>load<u32>(job, JOB_TRANSACTIONS) + <usize>i * ITEM
    const length = <usize>load<u32>(item, ITEM_LENGTH)
    if (!readTransaction(<usize>load<u32>(item), length)) return 0
    const input = end(Field.Input) - start(Field.Input)
    const needed = TEXT + 2 * input + LIST_TEXT * (length - input)
    if (needed > limit - target) {
      store<u32>(job, <u32>needed, JOB_NEEDED)
      return target
    }
    if (i > load<u32>(job, JOB_FIRST)) target = put(target, ',')
    const hash = <usize>load<u32>(job, JOB_HASHES) + <usize>i * 32
    const sender = <usize>load<u32>(job, JOB_SENDERS) + <usize>i * 20
    target = putTransaction(context, i, hash, sender, target)
    if (target == 0) return 0
    store<u32>(job, i + 1, JOB_NEXT)
  }
  return target
}

/** Writes the transaction that was read last; returns 0 if it is damaged. */
function putTransaction(context: usize, index: u32, hash: usize, sender: usize, target: usize): usize {
  target = put(target, '{"blockHash":"0x')
  target = putHex(target, context + CONTEXT_HASH, 32)
  target = put(target, '","blockNumber":"0x')
  target = putQuantity(target, load<u64>(context, CONTEXT_NUMBER))
  target = put(target, '","blockTimestamp":"0x')
  target = putQuantity(target, load<u64>(context, CONTEXT_TIMESTAMP))
  target = put(target, '","from":"0x')
  target = putHex(target, sender, 20)
  target = put(target, '","gas":"0x')
  target = putField(target, Field.Gas)
  if (!readEffectivePrice(context)) return 0
  target = put(target, '","gasPrice":"0x')
  target = putInteger(target, price, priceEnd)
  if (has(Field.FeeCap)) {
    target = put(target, '","maxFeePerGas":"0x')
    target = putField(target, Field.FeeCap)
    target = put(target, '","maxPriorityFeePerGas":"0x')
    target = putField(target, Field.TipCap)
  }
  if (has(Field.BlobFeeCap)) {
    target = put(target, '","maxFeePerBlobGas":"0x')
    target = putField(target, Field.BlobFeeCap)
  }
  target = put(target, '","hash":"0x')
  target = putHex(target, hash, 32)
  target = put(target, '","input":"0x')
  target = putHex(target, start(Field.Input), end(Field.Input) - start(Field.Input))
  target = put(target, '","nonce":"0x')
  target = putField(target, Field.Nonce)
  target = put(target, '","to":')
  target = putAddress(target, start(Field.To), end(Field.To))
  target = put(target, ',"transactionIndex":"0x')
  target = putQuantity(target, index)
  target = put(target, '","value":"0x')
  target = putField(target, Field.Value)
  target = put(target, '","type":"0x')
  target = putQuantity(target, transactionType)
  target = put(target, '"')
  if (transactionType == 0) target = putLegacyChainId(target)
  else {
    target = putAccessList(put(target, ',"accessList":'), start(Field.AccessList), end(Field.AccessList))
    if (target == 0) return 0
    target = put(target, ',"chainId":"0x')
    target = putField(target, Field.ChainId)
    target = put(target, '"')
  }
  if (has(Field.BlobHashes) && blobCount() > 0) {
    target = put(target, ',"blobVersionedHashes":')
    target = putHashes(target, start(Field.BlobHashes), end(Field.BlobHashes))
    if (target == 0) return 0
  }
  if (has(Field.Authorizations) && start(Field.Authorizations) < end(Field.Authorizations)) {
    target = putAuthorizations(put(target, ',"authorizationList":'))
    if (target == 0) return 0
  }
  target = put(target, ',"v":"0x')
  target = putField(target, Field.V)
  target = put(target, '","r":"0x')
  target = putField(target, Field.R)
  target = put(target, '","s":"0x')
  target = putField(target, Field.S)
  if (transactionType == 0) return put(target, '"}')
  target = put(target, start(Field.V) == end(Field.V) ? '","yParity":"0x0' : '","yParity":"0x1')
  return put(target, '"}')
}

function putField(target: usize, field: Field): usize {
  return putInteger(target, start(field), end(field))
}

/** Writes an address, or null for no bytes. */
export function putAddress(target: usize, at: usize, addressEnd: usize): usize {
  if (at == addressEnd) return put(target, 'null')
  return put(putHex(put(target, '"0x'), at, 20), '"')
}

const CHAIN_ID = memory.data(64, 16)

/**
 * Writes the chain id in the v of a legacy transaction: (v - 35) / 2. One that is zero counts as none. Below 35 it wraps around at
 * 64 bits, as in geth, except for 27 and 28.
 */
function putLegacyChainId(target: usize): usize {
  const v = start(Field.V)
  const length = end(Field.V) - v
  if (length > 32) return target
  const small: u64 = length == 0 ? 0 : load<u8>(v)
  if (length <= 1 && small < 37) {
    if (small >= 35 || small == 27 || small == 28) return target
    store<u64>(CHAIN_ID, bswap<u64>((small - 35) >> 1))
    return put(putInteger(put(target, ',"chainId":"0x'), CHAIN_ID, CHAIN_ID + 8), '"')
  }
  let borrow: u32 = 35
  for (let i = length; i > 0; i--) {
    const byte = <u32>load<u8>(v + i - 1)
    const taken = borrow & 0xff
    store<u8>(CHAIN_ID + i, <u8>(byte - taken))
    borrow = byte < taken ? 1 : 0
  }
  // The bytes are halved from the last one on, each with the lowest bit of the one before it.
  store<u8>(CHAIN_ID, 0)
  for (let i = length; i > 0; i--) {
    store<u8>(CHAIN_ID + i, (load<u8>(CHAIN_ID + i) >> 1) | (load<u8>(CHAIN_ID + i - 1) << 7))
  }
  target = put(target, ',"chainId":"0x')
  return put(putInteger(target, CHAIN_ID + 1, CHAIN_ID + 1 + length), '"')
}

/** Writes a list of hashes between two addresses; returns 0 if it is damaged. */
function putHashes(target: usize, at: usize, listEnd: usize): usize {
  if ((listEnd - at) % 33 != 0) return 0
  target = put(target, '[')
  for (const first = at; at < listEnd; at += 33) {
    if (load<u8>(at) != 0xa0) return 0
    target = at == first ? put(target, '"0x') : put(target, ',"0x')
    target = put(putHex(target, at + 1, 32), '"')
  }
  return put(target, ']')
}

/** Writes an access list between two addresses; returns 0 if it is damaged. */
function putAccessList(target: usize, at: usize, listEnd: usize): usize {
  target = put(target, '[')
  for (const first = at; at < listEnd; ) {
    if (!readList(at, listEnd)) return 0
    const entryEnd = payloadEnd
    if (!readItem(payload, entryEnd) || isList || payloadEnd - payload != 20) return 0
    target = at == first ? put(target, '{"address":"0x') : put(target, ',{"address":"0x')
    target = putHex(target, payload, 20)
    if (!readList(payloadEnd, entryEnd) || payloadEnd != entryEnd) return 0
    target = putHashes(put(target, '","storageKeys":'), payload, entryEnd)
    if (target == 0) return 0
    target = put(target, '}')
    at = entryEnd
  }
  return put(target, ']')
}

/** Writes the authorizations of the transaction that was read last; returns 0 if they are damaged. */
function putAuthorizations(target: usize): usize {
  const listEnd = end(Field.Authorizations)
  target = put(target, '[')
  for (let at = start(Field.Authorizations); at < listEnd; ) {
    if (!readList(at, listEnd)) return 0
    const entryEnd = payloadEnd
    target = at == start(Field.Authorizations) ? put(target, '{"chainId":"0x') : put(target, ',{"chainId":"0x')
    target = putNextInteger(target, payload, entryEnd)
    if (target == 0 || !readItem(payloadEnd, entryEnd) || isList || payloadEnd - payload != 20) return 0
    target = put(target, '","address":"0x')
    target = putHex(target, payload, 20)
    target = putNextInteger(put(target, '","nonce":"0x'), payloadEnd, entryEnd)
    if (target == 0) return 0
    target = putNextInteger(put(target, '","yParity":"0x'), payloadEnd, entryEnd)
    if (target == 0) return 0
    target = putNextInteger(put(target, '","r":"0x'), payloadEnd, entryEnd)
    if (target == 0) return 0
    target = putNextInteger(put(target, '","s":"0x'), payloadEnd, entryEnd)
    if (target == 0 || payloadEnd != entryEnd) return 0
    target = put(target, '"}')
    at = entryEnd
  }
  return put(target, ']')
}

/** Writes the integer at an address; returns 0 if there is none. */
function putNextInteger(target: usize, at: usize, limit: usize): usize {
  if (!readItem(at, limit) || isList) return 0
  if (payload < payloadEnd && load<u8>(payload) == 0) return 0
  return putInteger(target, payload, payloadEnd)
}
