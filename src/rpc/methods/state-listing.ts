// debug methods that list states: accounts, storage, and what changed between two blocks. A listing ends at its limits and at
// the time limit of a call. Follows eth/api_debug.go.
import type { Awaitable } from '../../awaitable.js'
import { bytesToHex, quantity } from '../../bytes.js'
import type { Block, HashedHeader } from '../../chain/block.js'
import type { Chain } from '../../chain/chain.js'
import type { ChainView } from '../../datadir/chain-view.js'
import { GethReaderError } from '../../errors.js'
import { hashListJson } from '../../hash-list.js'
import { readBadBlock } from '../../rawdb/bad-blocks.js'
import type { Header } from '../../types/header.js'
import type { BlockToTrace } from '../../view/trace.js'
import { decodeUploadedBlock } from '../../view/uploaded-block.js'
import { stateDumpSchema, storageRangeJson, storageRangeSchema } from '../encoding/state-dump.js'
import { trieErrorAnswers } from '../error-table.js'
import type { JsonText } from '../json/json-text.js'
import { answerOtherwise, serverError } from '../json-rpc-error.js'
import { absentJson, type MethodContext, method, onWorkers } from '../method.js'
import {
  type BlockArgument,
  type BlockNumberArgument,
  decodeBlock,
  decodeBlockNumber,
} from '../parameters/block.js'
import { decodeAddress, decodeBytes, decodeHash } from '../parameters/hex.js'
import { decodeInt, decodeUint64Number } from '../parameters/number.js'
import { optional, required } from '../parameters/parameter.js'
import { decodeTraceConfig } from '../parameters/trace-config.js'
import { decodeBoolean } from '../parameters/unmarshal.js'
import { listOrNull } from '../schemas.js'
import { blockPosition, isPending, selectBlock } from './block-selection.js'

/** Accounts of one dump, as in geth. */
const mostAccounts = 256

/** Numbers that geth has for names of blocks, which its error texts show. */
const tagNumbers = { safe: -4, finalized: -3, earliest: -5 } as const

/** The block whose state is listed, with geth's texts for one that is not there. */
function listedBlock(view: ChainView, argument: BlockArgument): HashedHeader {
  if ('hash' in argument) {
    const found = view.chain.block({ hash: argument.hash })
    if (found === undefined) throw serverError(`block ${bytesToHex(argument.hash)} not found`)
    return found
  }
  if ('number' in argument) {
    const found = view.chain.block({ number: blockPosition(argument.number) })
    if (found === undefined) throw serverError(`block #${argument.number} not found`)
    return found
  }
  const { tag } = argument
  if (tag === 'pending') throw serverError('pending state is not available')
  if (tag === 'latest') return view.chain.head()
  // geth looks for the earliest block under its negative number.
  const number = tag === 'earliest' ? undefined : view.chain.tagNumber(tag)
  const found = number === undefined ? undefined : view.chain.header({ number })
  if (found === undefined) throw serverError(`block #${tagNumbers[tag]} not found`)
  return found
}

/** Runs a listing; words the lack of a state as geth's tries do. */
async function listing<T>(view: ChainView, run: () => Awaitable<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw answerOtherwise(error, trieErrorAnswers(view.snapshot.states.scheme))
  }
}

/** How long a listing may take. */
function listingTime({ signal, limits }: MethodContext) {
  return { signal, milliseconds: limits.callMilliseconds }
}

interface DumpOptions {
  readonly start: Uint8Array
  readonly limit: number
  readonly withCode: boolean
  readonly withStorage: boolean
  readonly withUnnamed: boolean
}

async function dumpJson(
  context: MethodContext,
  argument: BlockArgument,
  options: DumpOptions,
): Promise<JsonText> {
  const { view } = context
  const { header } = listedBlock(view, argument)
  return [await listing(view, () => view.run('dumpState', { header, ...options }, listingTime(context)))]
}

/** Bytes as a hash, as geth makes one: the last 32, with zeros in front. */
function hashOf(bytes: Uint8Array): Uint8Array {
  const hash = new Uint8Array(32)
  hash.set(bytes.subarray(-32), Math.max(0, 32 - bytes.length))
  return hash
}

/** The first and the last of some blocks, or the block before the first if no last one is given. */
interface BlockPair<T> {
  readonly start: T
  readonly end: T | undefined
  /** How geth names blocks in its texts. */
  readonly startText: string
  readonly endText: string
}

async function changedJson(
  context: MethodContext,
  { start, end, startText, endText }: BlockPair<Parameters<Chain['header']>[0]>,
): Promise<string> {
  const { view } = context
  const first = view.chain.header(start)
  if (first === undefined) throw serverError(`start block ${startText} not found`)
  const after = end === undefined ? first : view.chain.header(end)
  if (after === undefined) throw serverError(`end block ${endText} not found`)
  const before = end === undefined ? view.chain.header({ hash: first.header.parentHash }) : first
  if (before === undefined) throw serverError(`block ${first.header.number.toString(16)} has no parent`)
  const [from, to] = [before.header.number, after.header.number]
  if (from >= to) throw serverError(`start block height (${from}) must be less than end block height (${to})`)
  const states = { before: before.header, after: after.header }
  const changed = await listing(view, () => view.run('changedAccounts', states, listingTime(context)))
  if ('unknown' in changed) {
    throw serverError(`no preimage found for hash ${bytesToHex(changed.unknown).slice(2)}`)
  }
  return changed.addresses.length === 0 ? absentJson : hashListJson(changed.addresses)
}

/** Number of a block; every name but `earliest` stands for the head. */
function searchNumber(view: ChainView, argument: BlockNumberArgument): bigint {
  return 'number' in argument ? argument.number : BigInt(view.chain.head().header.number)
}

/** The block, with geth's text for one that is not there. */
function existingBlock(view: ChainView, argument: BlockArgument): Block {
  const found = view.chain.block(selectBlock(view, argument))
  if (found !== undefined) return found
  throw serverError(`block ${goText(argument)} not found`)
}

/** A block argument as Go prints the struct. */
function goText(argument: BlockArgument): string {
  if ('hash' in argument) return `{<nil> ${bytesToHex(argument.hash)} ${argument.requireCanonical}}`
  return `{${'number' in argument ? quantity(argument.number) : argument.tag} <nil> false}`
}

function parentOf(view: ChainView, { parentHash }: Header): Header {
  const found = view.chain.header({ hash: parentHash })
  if (found === undefined) throw serverError(`parent ${bytesToHex(parentHash)} not found`)
  return found.header
}

/** A block of the chain, or one that geth refused. */
function blockOrBadBlock(
  view: ChainView,
  hash: Uint8Array,
): { readonly header: Header; readonly block: BlockToTrace } {
  const found = view.chain.block({ hash })
  if (found !== undefined) return { header: found.header, block: { hash } }
  const rlp = readBadBlock(view.snapshot.db, hash)
  if (rlp === undefined) throw serverError(`block ${bytesToHex(hash)} not found`)
  return { header: decodeUploadedBlock(rlp).header, block: { rlp } }
}

/** The first hash with a prefix; what is longer than a hash is cut. */
function firstKey(prefix: Uint8Array): Uint8Array {
  const key = new Uint8Array(32)
  key.set(prefix.subarray(0, 32))
  return key
}

/** Slots of one listing of storage. geth has no limit. */
const mostSlots = 16_384n

const traceConfig = optional(required('config', 'TraceConfig', decodeTraceConfig), undefined)
const flag = (name: string) => required(name, 'Boolean', decodeBoolean)

/** Methods that list states by name. */
export const stateListingMethods = {
  debug_accountRange: method({
    summary: 'Accounts of the state after a block in the order of their hashes, at most 256',
    parameters: [
      required('block', 'Block', decodeBlock),
      required('start', 'Data', decodeBytes),
      required('maxResults', 'Integer', decodeInt),
      flag('nocode'),
      flag('nostorage'),
      flag('incompletes'),
    ],
    result: stateDumpSchema,
    ...onWorkers,
    run(context, block, start, most, nocode, nostorage, incompletes) {
      return dumpJson(context, block, {
        start: hashOf(start),
        limit: most > 0n && most <= BigInt(mostAccounts) ? Number(most) : mostAccounts,
        withCode: !nocode,
        withStorage: !nostorage,
        withUnnamed: incompletes,
      })
    },
  }),

  debug_dumpBlock: method({
    summary: 'The first 256 accounts of the state after a block whose addresses are known',
    parameters: [required('block', 'BlockNumber', decodeBlockNumber)],
    result: stateDumpSchema,
    ...onWorkers,
    run(context, block) {
      const everything = { withCode: true, withStorage: true, withUnnamed: false }
      return dumpJson(context, block, { start: new Uint8Array(32), limit: mostAccounts, ...everything })
    },
  }),

  debug_getModifiedAccountsByNumber: method({
    summary: 'Accounts that changed from one block to another, by number, or in one block',
    parameters: [
      required('start', 'Integer', decodeUint64Number),
      optional(required('end', 'Integer', decodeUint64Number), undefined),
    ],
    result: listOrNull('Address'),
    ...onWorkers,
    run: (context, start, end) =>
      changedJson(context, {
        start: { number: blockPosition(start) },
        end: end === undefined ? undefined : { number: blockPosition(end) },
        startText: start.toString(16),
        endText: String(end),
      }),
  }),

  debug_getModifiedAccountsByHash: method({
    summary: 'Accounts that changed from one block to another, by hash, or in one block',
    parameters: [
      required('start', 'Hash', decodeHash),
      optional(required('end', 'Hash', decodeHash), undefined),
    ],
    result: listOrNull('Address'),
    ...onWorkers,
    run: (context, start, end) =>
      changedJson(context, {
        start: { hash: start },
        end: end && { hash: end },
        startText: bytesToHex(start).slice(2),
        endText: end ? bytesToHex(end).slice(2) : '',
      }),
  }),

  debug_getAccessibleState: method({
    summary: 'Number of the first block of a range, in either direction, whose state root is on disk',
    parameters: [
      required('from', 'BlockNumber', decodeBlockNumber),
      required('to', 'BlockNumber', decodeBlockNumber),
    ],
    result: { title: 'Number of a block', type: 'integer', minimum: 0 },
    ...onWorkers,
    async run(context, from, to) {
      const { view } = context
      if (view.snapshot.states.scheme === 'path') {
        throw serverError('state history is not yet available in path-based scheme')
      }
      const [first, end] = [searchNumber(view, from), searchNumber(view, to)]
      if (first === end) throw serverError('from and to needs to be different')
      if (first >= Number.MAX_SAFE_INTEGER) throw serverError(`missing header ${first}`)
      const blocks = { from: Number(first), to: blockPosition(end) }
      const found = await view.run('findState', blocks, listingTime(context))
      if (found === undefined) throw serverError('no state found')
      if ('missingHeader' in found) throw serverError(`missing header ${found.missingHeader}`)
      return String(found.number)
    },
  }),

  debug_storageRangeAt: method({
    summary: 'Storage of an account as it was before a block, in the order of the hashes of its slots',
    parameters: [
      required('block', 'Block', decodeBlock),
      required('txIndex', 'Integer', decodeInt),
      required('address', 'Address', decodeAddress),
      required('start', 'Data', decodeBytes),
      required('maxResult', 'Integer', decodeInt),
    ],
    result: storageRangeSchema,
    ...onWorkers,
    async run(context, argument, index, address, start, most) {
      const { view } = context
      if (isPending(argument)) throw serverError('pending block is not available')
      const { header, hash } = existingBlock(view, argument)
      if (header.number === 0) throw serverError('no transaction in genesis')
      const parent = parentOf(view, header)
      const limit = most <= 0n ? 0 : Number(most > mostSlots ? mostSlots : most)
      const input = { hash, parent, index, address, start: firstKey(start), limit: limit + 1 }
      const waiter = listingTime(context)
      const slots = await listing(view, () => view.runOnState('storageInBlock', input, parent, waiter))
      if (most > mostSlots && slots !== undefined && slots.length > limit) {
        throw new GethReaderError('TOO_MANY_RESULTS', `the account has more than ${limit} slots`, { limit })
      }
      return storageRangeJson(slots, limit)
    },
  }),

  debug_intermediateRoots: method({
    summary: 'State root after each transaction of a block',
    parameters: [required('hash', 'Hash', decodeHash), traceConfig],
    result: listOrNull('Hash'),
    ...onWorkers,
    async run(context, hash) {
      const { view, signal, limits } = context
      const { header, block } = blockOrBadBlock(view, hash)
      if (header.number === 0) throw serverError('genesis is not traceable')
      const parent = parentOf(view, header)
      const waiter = { signal, milliseconds: limits.traceMilliseconds }
      const roots = await view.runOnState('intermediateRoots', { block, parent }, parent, waiter)
      return roots.length === 0 ? absentJson : hashListJson(roots)
    },
  }),
}
