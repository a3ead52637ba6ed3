// Writes the receipts of a block as geth's JSON. Follows MarshalReceipt in internal/ethapi/api.go and
// core/types/gen_log_json.go.
import {
  CONTEXT_BLOB_PRICE,
  CONTEXT_HAS_BLOB_PRICE,
  CONTEXT_HASH,
  CONTEXT_NUMBER,
  CONTEXT_TIMESTAMP,
  price,
  priceEnd,
  readEffectivePrice,
} from './block-context'
import { ITEM, ITEM_LENGTH } from './items'
import {
  JOB_BLOOMS,
  JOB_CONTEXT,
  JOB_END,
  JOB_FIRST,
  JOB_HASHES,
  JOB_LOG,
  JOB_LOG_INDEX,
  JOB_NEEDED,
  JOB_NEXT,
  JOB_RECEIPTS,
  JOB_SENDERS,
  JOB_TRANSACTIONS,
} from './json-job'
import { keccak256 } from './keccak'
import { TOPIC_ITEM } from './log-match'
import {
  BLOOM,
  data,
  dataEnd,
  gas,
  gasEnd,
  logAddress,
  logEnd,
  logs,
  logsEnd,
  outcome,
  outcomeEnd,
  readLog,
  readReceipt,
  RECEIPT,
  RECEIPT_FIRST_LOG,
  topics,
  topicsEnd,
} from './receipts'
import { put, putHex, putInteger, putQuantity } from './text'
import { putAddress } from './transaction-json'
import { blobCount, end, Field, readTransaction, start, transactionType } from './transaction-fields'

/** Most bytes of a receipt's text before its logs and after them. */
const TEXT: usize = 1024
/** Most bytes of a log's text without its topics and its data, and of a topic. */
const LOG_TEXT: usize = 512
const TOPIC_TEXT: usize = 70

const BLOB_GAS: u64 = 131072

/**
 * Writes receipts of a job (json-job.ts) with commas between them until a part does not fit before `limit`. Returns the end;
 * 0 if one is damaged. 64 bytes after `limit` may be overwritten.
 */
export function writeReceiptsJson(job: usize, target: usize, limit: usize): usize {
  for (let i = load<u32>(job, JOB_NEXT); i < load<u32>(job, JOB_END); i++) {
    const receipt = <usize>load<u32>(job, JOB_RECEIPTS) + <usize>i * RECEIPT
    const item = <usize>load<u32>(job, JOB_TRANSACTIONS) + <usize>i * ITEM
    if (!readTransaction(<usize>load<u32>(item), <usize>load<u32>(item, ITEM_LENGTH))) return 0
    const gasBefore = i == 0 ? 0 : gasAfter(receipt - RECEIPT)
    if (!readReceipt(<usize>load<u32>(receipt), <usize>load<u32>(receipt, 4))) return 0
    let log = <usize>load<u32>(job, JOB_LOG)
    if (log == 0) {
      if (TEXT > limit - target) return needing(job, TEXT, target)
      target = putHead(job, i, gasBefore, target)
      if (target == 0) return 0
      log = logs
      store<u32>(job, <u32>log, JOB_LOG)
      store<u32>(job, load<u32>(receipt, RECEIPT_FIRST_LOG), JOB_LOG_INDEX)
    }
    for (; log < logsEnd; log = logEnd) {
      if (!readLog(log, logsEnd)) return 0
      const needed = LOG_TEXT + ((topicsEnd - topics) / TOPIC_ITEM) * TOPIC_TEXT + 2 * (dataEnd - data)
      if (needed > limit - target) return needing(job, needed, target)
      if (log > logs) target = put(target, ',')
      target = putLog(job, i, target)
      store<u32>(job, <u32>logEnd, JOB_LOG)
      store<u32>(job, load<u32>(job, JOB_LOG_INDEX) + 1, JOB_LOG_INDEX)
    }
    if (TEXT > limit - target) return needing(job, TEXT, target)
    target = putTail(job, i, target)
    store<u32>(job, 0, JOB_LOG)
    store<u32>(job, i + 1, JOB_NEXT)
  }
  return target
}

function needing(job: usize, bytes: usize, target: usize): usize {
  store<u32>(job, <u32>bytes, JOB_NEEDED)
  return target
}

/** Cumulative gas of a receipt in a table. */
function gasAfter(receipt: usize): u64 {
  readReceipt(<usize>load<u32>(receipt), <usize>load<u32>(receipt, 4))
  return gasOfReceipt()
}

/** Cumulative gas of the receipt that was read last. */
function gasOfReceipt(): u64 {
  let value: u64 = 0
  for (let at = gas; at < gasEnd; at++) value = (value << 8) | <u64>load<u8>(at)
  return value
}

/** Writes a receipt up to its logs; returns 0 if it is damaged. */
function putHead(job: usize, index: u32, gasBefore: u64, target: usize): usize {
  const context = <usize>load<u32>(job, JOB_CONTEXT)
  if (index > load<u32>(job, JOB_FIRST)) target = put(target, ',')
  target = put(target, '{')
  if (transactionType == 3) {
    if (load<u32>(context, CONTEXT_HAS_BLOB_PRICE) == 0) return 0
    target = put(target, '"blobGasPrice":"0x')
    target = putInteger(target, context + CONTEXT_BLOB_PRICE, context + CONTEXT_BLOB_PRICE + 32)
    target = put(target, '","blobGasUsed":"0x')
    target = putQuantity(target, BLOB_GAS * <u64>blobCount())
    target = put(target, '",')
  }
  target = put(target, '"blockHash":"0x')
  target = putHex(target, context + CONTEXT_HASH, 32)
  target = put(target, '","blockNumber":"0x')
  target = putQuantity(target, load<u64>(context, CONTEXT_NUMBER))
  const sender = <usize>load<u32>(job, JOB_SENDERS) + <usize>index * 20
  target = put(target, '","contractAddress":')
  if (start(Field.To) < end(Field.To)) target = put(target, 'null')
  else {
    const created = contractAddress(sender)
    if (created == 0) return 0
    target = putAddress(target, created, created + 20)
  }
  const cumulativeGas = gasOfReceipt()
  if (cumulativeGas < gasBefore) return 0
  target = put(target, ',"cumulativeGasUsed":"0x')
  target = putQuantity(target, cumulativeGas)
  if (!readEffectivePrice(context)) return 0
  target = put(target, '","effectiveGasPrice":"0x')
  target = putInteger(target, price, priceEnd)
  target = put(target, '","from":"0x')
  target = putHex(target, sender, 20)
  target = put(target, '","gasUsed":"0x')
  target = putQuantity(target, cumulativeGas - gasBefore)
  return put(target, '","logs":[')
}

/** Writes the log that was read last. */
function putLog(job: usize, index: u32, target: usize): usize {
  const context = <usize>load<u32>(job, JOB_CONTEXT)
  target = put(target, '{"address":"0x')
  target = putHex(target, logAddress, 20)
  target = put(target, '","topics":[')
  for (let topic = topics; topic < topicsEnd; topic += TOPIC_ITEM) {
    target = topic == topics ? put(target, '"0x') : put(target, ',"0x')
    target = put(putHex(target, topic + 1, 32), '"')
  }
  target = put(target, '],"data":"0x')
  target = putHex(target, data, dataEnd - data)
  target = put(target, '","blockNumber":"0x')
  target = putQuantity(target, load<u64>(context, CONTEXT_NUMBER))
  target = put(target, '","transactionHash":"0x')
  target = putHex(target, <usize>load<u32>(job, JOB_HASHES) + <usize>index * 32, 32)
  target = put(target, '","transactionIndex":"0x')
  target = putQuantity(target, index)
  target = put(target, '","blockHash":"0x')
  target = putHex(target, context + CONTEXT_HASH, 32)
  target = put(target, '","blockTimestamp":"0x')
  target = putQuantity(target, load<u64>(context, CONTEXT_TIMESTAMP))
  target = put(target, '","logIndex":"0x')
  target = putQuantity(target, load<u32>(job, JOB_LOG_INDEX))
  return put(target, '","removed":false}')
}

/** Writes a receipt from the end of its logs on. */
function putTail(job: usize, index: u32, target: usize): usize {
  target = put(target, '],"logsBloom":"0x')
  target = putHex(target, <usize>load<u32>(job, JOB_BLOOMS) + <usize>index * BLOOM, BLOOM)
  if (outcomeEnd - outcome == 32) {
    target = put(target, '","root":"0x')
    target = putHex(target, outcome, 32)
  } else {
    target = put(target, outcome == outcomeEnd ? '","status":"0x0' : '","status":"0x1')
  }
  target = put(target, '","to":')
  target = putAddress(target, start(Field.To), end(Field.To))
  target = put(target, ',"transactionHash":"0x')
  target = putHex(target, <usize>load<u32>(job, JOB_HASHES) + <usize>index * 32, 32)
  target = put(target, '","transactionIndex":"0x')
  target = putQuantity(target, index)
  target = put(target, '","type":"0x')
  target = putQuantity(target, transactionType)
  return put(target, '"}')
}

const CREATION = memory.data(64, 16)

/** Address of the contract that a sender creates by the transaction read last, until the next call; 0 if it is damaged. */
function contractAddress(sender: usize): usize {
  const nonce = start(Field.Nonce)
  const length = end(Field.Nonce) - nonce
  if (length > 8) return 0
  const isSmall = length == 1 && load<u8>(nonce) < 0x80
  const nonceSize: usize = isSmall ? 1 : 1 + length
  store<u8>(CREATION, 0xc0 + 21 + <u8>nonceSize)
  store<u8>(CREATION, 0x80 + 20, 1)
  memory.copy(CREATION + 2, sender, 20)
  if (!isSmall) store<u8>(CREATION, 0x80 + <u8>length, 22)
  memory.copy(CREATION + 22 + nonceSize - length, nonce, length)
  keccak256(CREATION, 22 + nonceSize, CREATION + 32)
  return CREATION + 32 + 12
}
