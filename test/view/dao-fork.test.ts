// The block of the DAO fork, and the extra data around it, on chains that geth's own code made (testdata/generate/daofork).
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import type { Block } from '../../src/chain/block.js'
import { emptyCodeHash, emptyRoot } from '../../src/constants.js'
import type { BlockState } from '../../src/evm/block/block-state.js'
import { processBlock } from '../../src/evm/block/process-block.js'
import { onEvmThread } from '../../src/evm/evm-thread.js'
import { RlpCursor } from '../../src/rlp/cursor.js'
import { encodeList } from '../../src/rlp/encode.js'
import { LiveState } from '../../src/state/live-state.js'
import { StateCache } from '../../src/state/state-cache.js'
import { TrieValues } from '../../src/state/trie-values.js'
import { zeroSlot } from '../../src/types/account.js'
import { parseChainConfig } from '../../src/types/chain-config.js'
import { decodeHeader, type Header } from '../../src/types/header.js'
import { encodeStoredReceipts } from '../../src/types/receipt.js'
import { recoverSender } from '../../src/types/sender.js'
import { compareExecution } from '../../src/view/compare-execution.js'
import { decodeUploadedBlock } from '../../src/view/uploaded-block.js'

interface RecordedChain {
  readonly name: string
  readonly config: object
  /** Balances by address. */
  readonly alloc: Readonly<Record<string, string>>
  /** The header. */
  readonly genesis: string
  readonly blocks: readonly string[]
}

const file = new URL('../../testdata/chains/dao-fork.json', import.meta.url)
const chains = JSON.parse(readFileSync(file, 'utf8')) as readonly RecordedChain[]

/** The state of genesis, made from nothing. */
function genesisState(alloc: RecordedChain['alloc']): LiveState {
  const empty = {
    root: emptyRoot,
    account: () => undefined,
    storage: () => zeroSlot,
    code: () => new Uint8Array(),
  }
  const tries = new TrieValues(emptyRoot, { node: () => undefined }, new StateCache())
  const state = new LiveState(empty, tries)
  const changes = Object.entries(alloc).map(([address, balance]) => ({
    address: hexToBytes(address),
    account: { nonce: 0n, balance: BigInt(balance), storageRoot: emptyRoot, codeHash: emptyCodeHash },
    isStorageGone: true,
    slots: new Map(),
  }))
  state.apply({ changes: () => changes, codes: () => new Map() })
  state.commit()
  return state
}

/** Executes all blocks with a config and throws at the first difference. */
function execute(
  { alloc, genesis, blocks }: RecordedChain,
  config: object,
  change?: (header: Header) => Header,
): void {
  const parsed = parseChainConfig(JSON.stringify(config))
  const state = genesisState(alloc)
  expect(state.root).toEqual(decodeHeader(hexToBytes(genesis)).stateRoot)
  for (const text of blocks) {
    const rlp = hexToBytes(text)
    const { header: found, body, hash } = decodeUploadedBlock(rlp)
    const header = change?.(found) ?? found
    const environment = {
      config: parsed,
      state,
      blockHash: () => undefined,
      checkTime: () => {},
      rootAfter: (changes: BlockState) => {
        state.apply(changes)
        return state.commit()
      },
    }
    const senders = body.transactions.map((transaction) => recoverSender(transaction)!)
    const processed = onEvmThread((thread) => processBlock({ header, body, senders }, environment, thread))
    const cursor = new RlpCursor(rlp)
    cursor.enterList()
    cursor.skip()
    const storedBody = { rlp: encodeList([rlp.subarray(cursor.position)]), place: {} }
    const block = { header, hash, body, storedBody } as unknown as Block
    let cumulativeGasUsed = 0n
    const receipts = processed.transactions.map(({ root, gasUsed, logs }) => {
      cumulativeGasUsed += gasUsed
      return { root: root!, cumulativeGasUsed, logs }
    })
    const record = { rlp: encodeStoredReceipts(receipts), place: {} }
    compareExecution({ block, receipts: record, processed }, parsed)
    state.apply(processed.state)
    expect(state.commit()).toEqual(header.stateRoot)
  }
}

describe.each(chains)('a chain over the DAO fork by the rules of $name', (chain) => {
  it('gives the gas, the receipts and the state root of every block', () => {
    execute(chain, chain.config)
  })

  it('does not without the fork', () => {
    const { daoForkBlock: _, ...without } = chain.config as { daoForkBlock: number }
    // Before Byzantium the state root of the first block of the fork is in its receipt.
    expect(() => execute(chain, without)).toThrow(/^block 3: its execution gives the receipts root /)
  })

  it('has the extra data of its side for ten blocks', () => {
    expect(() => execute(chain, { ...chain.config, daoForkSupport: false })).toThrow(
      'block 3: bad DAO no-fork extra-data',
    )
    const changeAt = (changed: number) => (header: Header) =>
      header.number === changed ? { ...header, extraData: new Uint8Array() } : header
    expect(() => execute(chain, chain.config, changeAt(12))).toThrow('block 12: bad DAO pro-fork extra-data')
    execute(chain, chain.config, changeAt(13))
  })
})
