// What a transaction changed, for contracts that destroy themselves.
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { noBytes } from '../../src/constants.js'
import { StateChanges } from '../../src/datasets/execution/state-changes.js'
import { processBlock } from '../../src/evm/block/process-block.js'
import { onEvmThread } from '../../src/evm/evm-thread.js'
import { parseChainConfig } from '../../src/types/chain-config.js'
import type { Header } from '../../src/types/header.js'
import type { Transaction } from '../../src/types/transaction.js'
import { type MemoryAccount, memoryState } from '../evm/memory-state.js'

const sender = `0x${'aa'.repeat(20)}`
const caller = `0x${'10'.repeat(20)}`
const mortal = `0x${'20'.repeat(20)}`
const heir = `0x${'30'.repeat(20)}`
const miner = `0x${'40'.repeat(20)}`
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** Changes of a transaction to a contract with this code, where `mortal` reads slot 1, sets slot 2 and destroys itself. */
function changesOf(to: string, callerCode: string) {
  const account = (code: string, balance: bigint, storage = new Map<string, string>()): MemoryAccount => ({
    nonce: 1n,
    balance,
    code: hexToBytes(code),
    storage,
  })
  const slots = new Map([
    [word(1), word(5)],
    [word(3), word(9)],
  ])
  const state = memoryState(
    new Map([
      [sender, account('0x', 10n ** 18n)],
      [caller, account(callerCode, 0n)],
      [mortal, account(`0x600154506007600255${`73${heir.slice(2)}`}ff`, 100n, slots)],
    ]),
  )
  const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
  const names = [...forks, 'istanbul', 'berlin'].map((name) => [`${name}Block`, 0])
  const config = parseChainConfig(JSON.stringify({ chainId: 1, ethash: {}, ...Object.fromEntries(names) }))
  const header = {
    ...{ number: 1, difficulty: 1n, gasLimit: 10n ** 7n, timestamp: 1n, miner: hexToBytes(miner) },
    ...{ parentHash: new Uint8Array(32), extraData: noBytes, mixHash: new Uint8Array(32) },
  } as unknown as Header
  const transaction = {
    ...{ type: 0, nonce: 1n, gasPrice: 1n, gas: 200_000n, to: hexToBytes(to), value: 0n, input: noBytes },
  } as unknown as Transaction
  const changes = new StateChanges()
  const environment = {
    ...{ config, state, blockHash: () => undefined, checkTime: () => {} },
    tracerOf: () => changes,
  }
  const body = { transactions: [transaction], uncles: [] }
  onEvmThread((thread) => processBlock({ header, body, senders: [hexToBytes(sender)] }, environment, thread))
  return changes.changes
}

it('has the values and the touched slots of an account that was deleted', () => {
  const found = changesOf(mortal, '0x')
  expect(found.map(({ address }) => bytesToHex(address))).toEqual([mortal, heir, miner, sender])
  const [deleted, richer] = found
  expect(deleted).toMatchObject({ before: { balance: 100n, nonce: 1n }, after: undefined })
  expect(deleted!.codeBefore.length).toBeGreaterThan(0)
  expect(deleted!.codeAfter.length).toBe(0)
  const texts = deleted!.slots.map(({ key, before, after }) => [key, before, after].map(bytesToHex))
  expect(texts).toEqual([[word(1), word(5), word(0)]])
  expect(richer).toMatchObject({ before: undefined, after: { balance: 100n } })
})

it('has no row for an account whose SELFDESTRUCT was reverted', () => {
  const found = changesOf(caller, `0x6000600060006000600073${mortal.slice(2)}61fffff160006000fd`)
  expect(found.map(({ address }) => bytesToHex(address))).toEqual([miner, sender])
})
