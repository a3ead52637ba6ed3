// Blocks as JSON, keys in alphabetical order. Follows RPCMarshalBlock in geth's internal/ethapi/api.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { Block } from '../../chain/block.js'
import { hashBytes } from '../../chain/block-items.js'
import { hashListJson } from '../../hash-list.js'
import { ScratchMemory } from '../../kernel/scratch-memory.js'
import type { Withdrawal } from '../../types/body.js'
import type { JsonText } from '../json/json-text.js'
import { headerMembers } from './header.js'
import { transactionsJson } from './transaction.js'

/** Bytes of a hash in a list, with quotes and comma; the kernel may overwrite less than that after the list. */
const hashTextBytes = 69

function withdrawalsJson(withdrawals: readonly Withdrawal[]): string {
  let json = '['
  for (const { index, validatorIndex, address, amount } of withdrawals) {
    if (json.length > 1) json += ','
    json += `{"index":"${quantity(index)}","validatorIndex":"${quantity(validatorIndex)}"`
    json += `,"address":"${bytesToHex(address)}","amount":"${quantity(amount)}"}`
  }
  return `${json}]`
}

/** The JSON of a block before its transactions, and after them. */
function textAround(block: Block, isPending: boolean): readonly [before: string, after: string] {
  const { uncleHashes, withdrawals } = block
  const [beforeTransactions, beforeUncles, rest] = headerMembers(block, isPending)
  let after = `${beforeUncles},"uncles":${hashListJson(uncleHashes)}`
  if (withdrawals !== undefined) after += `,"withdrawals":${withdrawalsJson(withdrawals)}`
  return [`{${beforeTransactions},"transactions":`, `${after}${rest}}`]
}

/** A block with the hashes of its transactions. */
export function blockWithHashesJson(block: Block): JsonText {
  const [before, after] = textAround(block, false)
  return [before, joinedHashesJson(block.joinedHashes), after]
}

/** A list of hashes, 32 bytes each. */
function joinedHashesJson(hashes: Uint8Array): Uint8Array {
  const memory = new ScratchMemory()
  const { at } = memory.allocateCopy(hashes)
  const count = hashes.length / hashBytes
  const target = memory.allocate(count * hashTextBytes + hashTextBytes)
  const end = memory.functions.writeHashesJson(at, count, target)
  return memory.bytes({ at: target, length: end - target }).slice()
}

/** A block with its transactions; `senders` in their order. Throws DAMAGED and UNSUPPORTED_FORMAT. */
export function blockWithTransactionsJson(block: Block, senders: readonly Uint8Array[]): JsonText {
  const [before, after] = textAround(block, false)
  return [`${before}[`, ...transactionsJson(block, senders), `]${after}`]
}

/** The pending block, which is empty. Its hash, miner and nonce are null, as they are not decided yet. */
export function pendingBlockJson(block: Block): string {
  const [before, after] = textAround(block, true)
  return `${before}[]${after}`
}
