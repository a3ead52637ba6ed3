// One random program set on both engines: output, error, gas, logs and final state as one text each.

import { bytesToHex } from '../../src/bytes.js'
import { type BlockContext, blockRules } from '../../src/evm/block-context.js'
import { Machine } from '../../src/evm/core/machine.js'
import { runFramesOnEthereumjs } from '../../src/evm/ethereumjs/run-frames.js'
import { CodePlacer } from '../../src/evm/interpreter/code-placer.js'
import { executionReverted } from '../../src/evm/interpreter/frame-errors.js'
import { runFrames } from '../../src/evm/interpreter/run-frames.js'
import type { Message } from '../../src/evm/message.js'
import { opcodeTable } from '../../src/evm/opcodes.js'
import { StateOverlay } from '../../src/evm/overlay/state-overlay.js'
import { PrecompileSet } from '../../src/evm/precompiles/precompile-set.js'
import { settleTransaction, startTransaction } from '../../src/evm/state-transition.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import type { StateReader } from '../../src/state/state-source.js'
import { Random } from '../random.js'
import { loadCurves } from './load-curves.js'
import { type MemoryAccount, memoryState } from './memory-state.js'
import { contractAddresses, generateInput, generateProgram, plainAddress } from './program-generator.js'
import { testChainConfig, testRules } from './test-forks.js'

export interface FuzzCase {
  readonly fork: string
  readonly gas: bigint
  readonly input: Uint8Array
  /** Code of each of the contract addresses. */
  readonly programs: readonly Uint8Array[]
}

const forks = [
  ...['Frontier', 'Homestead', 'EIP150', 'EIP158', 'Byzantium', 'ConstantinopleFix', 'Istanbul', 'Berlin'],
  ...['London', 'Paris', 'Shanghai', 'Cancun', 'Prague', 'Osaka'],
]

export function generateCase(seed: number, run: number, fork?: string): FuzzCase {
  const random = new Random(Math.imul(seed, 1_000_003) + run)
  const chosen = fork ?? random.pick(forks)
  const { entries } = opcodeTable(testRules(chosen))
  const invalid = entries[0xfe * 4 + 3]
  const isDefined = (opcode: number) => entries[opcode * 4 + 3] !== invalid
  return {
    fork: chosen,
    gas: BigInt(100_000 + random.below(random.pick([1_000_000, 10_000_000]))),
    input: generateInput(random),
    programs: contractAddresses.map(() => generateProgram(random, 3 + random.below(12), isDefined)),
  }
}

const machine = new Machine()
const code = new CodePlacer(machine)

export async function runCase(fuzzCase: FuzzCase): Promise<{ builtin: string; ethereumjs: string }> {
  await loadCurves()
  return { builtin: await runOn('builtin', fuzzCase), ethereumjs: await runOn('ethereumjs', fuzzCase) }
}

async function runOn(
  engine: 'builtin' | 'ethereumjs',
  { fork, gas, input, programs }: FuzzCase,
): Promise<string> {
  const config = testChainConfig(fork)!
  const block = testBlock(fork)
  const rules = blockRules(config, block)
  const reader = memoryState(accounts(programs))
  const overlay = new StateOverlay(reader)
  const message: Message = {
    from: address(0xc0den),
    to: address(contractAddresses[0]),
    value: 0n,
    input,
    gasLimit: gas,
    gasPrice: 0n,
    feeCap: 0n,
    tipCap: 0n,
    accessList: undefined,
    blobFeeCap: undefined,
    blobHashes: undefined,
    authorizations: undefined,
    nonce: undefined,
    isSimulated: false,
  }
  const precompiles = new PrecompileSet(rules)
  const context = { config, rules, block, overlay, message, precompiles, checkTime() {} }
  const { gas: frameGas, floorGas } = startTransaction(context)
  const outcome =
    engine === 'builtin'
      ? runFrames(context, { gas: frameGas, thread: { machine, code } })
      : await runFramesOnEthereumjs(context, frameGas)
  const { gasUsed } = settleTransaction(context, { floorGas, gasLeft: outcome.gasLeft })
  const { error, output } = outcome
  const ending = error === undefined ? 'success' : error === executionReverted ? 'revert' : 'failure'
  return [ending, bytesToHex(output), gasUsed, describeState(overlay, reader, rules.eip158)].join(' ')
}

/** What differs from the state before. */
function describeState(overlay: StateOverlay, reader: StateReader, deletesEmpty: boolean): string {
  const lines = overlay.logs.map(
    ({ address, topics, data }) =>
      `log ${bytesToHex(address)} ${topics.map(bytesToHex).join(',')} ${bytesToHex(data)}`,
  )
  const state: string[] = []
  const gone = new Set<unknown>()
  for (const account of overlay.accounts()) {
    const isDeleted = account.selfDestructed || (deletesEmpty && account.touched && overlay.isEmpty(account))
    if (!account.exists || isDeleted) {
      gone.add(account)
      continue
    }
    const { nonce, balance } = account
    const before = reader.account(account.address)
    const code = bytesToHex(account.codeHash)
    const isSame =
      before?.nonce === nonce && before.balance === balance && bytesToHex(before.codeHash) === code
    if (isSame || (deletesEmpty && overlay.isEmpty(account))) continue
    state.push(`account ${bytesToHex(account.address)} ${nonce} ${balance} ${code.slice(0, 10)}`)
  }
  for (const { account, key, value } of overlay.changedSlots()) {
    if (gone.has(account)) continue
    state.push(`slot ${bytesToHex(account.address)} ${bytesToHex(key)} ${bytesToHex(value)}`)
  }
  return [...lines, ...state.toSorted()].join(' ')
}

function accounts(programs: readonly Uint8Array[]): Map<string, MemoryAccount> {
  const storage = new Map([
    [word(1n), word(5n)],
    [word(2n), word(2n ** 255n)],
  ])
  const state = new Map<string, MemoryAccount>()
  for (const [i, program] of programs.entries()) {
    state.set(bytesToHex(address(contractAddresses[i]!)), {
      nonce: 1n,
      balance: 100n,
      code: program,
      storage,
    })
  }
  const plain = { nonce: 0n, balance: 1000n, code: new Uint8Array(), storage: new Map() }
  state.set(bytesToHex(address(plainAddress)), plain)
  return state
}

function testBlock(fork: string): BlockContext {
  const config = testChainConfig(fork)!
  return {
    number: 1000n,
    timestamp: 1_700_000_000n,
    gasLimit: 30_000_000n,
    coinbase: address(0xcbn),
    difficulty: config.terminalTotalDifficulty === undefined ? 0x20000n : 0n,
    prevRandao: config.terminalTotalDifficulty === undefined ? undefined : new Uint8Array(32).fill(0xbb),
    baseFee: config.londonBlock === undefined ? undefined : 0n,
    blobBaseFee: config.cancunTime === undefined ? undefined : 1n,
    ancestorHash: (number) => keccak256(new TextEncoder().encode(number.toString())),
  }
}

function address(value: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(40, '0'), 'hex'))
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
