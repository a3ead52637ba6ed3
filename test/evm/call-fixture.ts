// Calls on a state in memory, for tests: one block of a fork, some accounts, the built-in engine.
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { runCall } from '../../src/evm/call.js'
import type { CallArguments, CallRequest, CallResult } from '../../src/evm/engine.js'
import type { TaskSignal } from '../../src/stop.js'
import type { Header } from '../../src/types/header.js'
import { type MemoryAccount, memoryState } from './memory-state.js'
import { testChainConfig } from './test-forks.js'

// Addresses whose checksums EIP-55 itself gives.
export const callerText = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const contractText = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
export const caller = hexToBytes(callerText)
export const contract = hexToBytes(contractText)
export const coinbase = hexToBytes('0x00000000000000000000000000000000000000cb')

const zeroHash = new Uint8Array(32)
const zeroAccount: MemoryAccount = { nonce: 0n, balance: 0n, code: new Uint8Array(), storage: new Map() }

/** What a test may say about its call; everything else is plain. */
export interface CallFixture extends CallArguments {
  readonly fork?: string
  /** Code of {@link contract} in hex. */
  readonly code?: string
  readonly accounts?: Readonly<Record<string, Partial<MemoryAccount>>>
  readonly header?: Partial<Header>
  readonly request?: Partial<CallRequest>
  readonly blockHash?: (number: number) => Uint8Array | undefined
  readonly signal?: TaskSignal
}

/** The header of block 1000 of a fork, with a base fee of 7 wei from London on. */
export function testHeader(fork: string): Header {
  const config = testChainConfig(fork)!
  return {
    parentHash: hexToBytes(`0x${'aa'.repeat(32)}`),
    unclesHash: zeroHash,
    miner: coinbase,
    stateRoot: zeroHash,
    transactionsRoot: zeroHash,
    receiptsRoot: zeroHash,
    logsBloom: new Uint8Array(256),
    difficulty: config.terminalTotalDifficulty === undefined ? 0x20000n : 0n,
    number: 1000,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: 1_700_000_000n,
    extraData: new Uint8Array(),
    mixHash: hexToBytes(`0x${'bb'.repeat(32)}`),
    nonce: new Uint8Array(8),
    ...(config.londonBlock !== undefined && { baseFeePerGas: 7n }),
    ...(config.cancunTime !== undefined && { blobGasUsed: 0n, excessBlobGas: 0n }),
  }
}

/** Runs a call to {@link contract} by default, on Osaka by default. */
export function runFixture(fixture: CallFixture): CallResult {
  const { fork = 'Osaka', code, accounts = {}, header, request, blockHash, signal, ...call } = fixture
  const state = new Map<string, MemoryAccount>()
  for (const [address, account] of Object.entries(accounts))
    state.set(address, { ...zeroAccount, ...account })
  if (code !== undefined) {
    const address = bytesToHex(contract)
    state.set(address, { ...(state.get(address) ?? zeroAccount), code: hexToBytes(code) })
  }
  const isCreation = 'to' in call && call.to === undefined
  return runCall(
    {
      call: { from: caller, ...(!isCreation && { to: contract }), ...call },
      header: { ...testHeader(fork), ...header },
      gasCap: 50_000_000n,
      timeoutMilliseconds: 0,
      ...request,
    },
    { config: testChainConfig(fork)!, state: memoryState(state), blockHash: blockHash ?? (() => undefined) },
    signal,
  )
}

/** Runs a call and returns its output in hex. */
export function outputOf(fixture: CallFixture): string {
  return bytesToHex(runFixture(fixture).output)
}
