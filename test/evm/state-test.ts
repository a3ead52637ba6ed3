// Runs state tests of the public GeneralStateTests format on either engine, as tests/state_test_util.go of geth runs
// them: one transaction on a state, then the state root and the hash of the logs.
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bigIntToBytes, bytesToHex, hexToBytes } from '../../src/bytes.js'
import { type BlockContext, blockRules } from '../../src/evm/block-context.js'
import { TransactionError } from '../../src/evm/call-errors.js'
import { Machine } from '../../src/evm/core/machine.js'
import type { EvmEngine } from '../../src/evm/engine.js'
import { runFramesOnEthereumjs } from '../../src/evm/ethereumjs/run-frames.js'
import { CodePlacer } from '../../src/evm/interpreter/code-placer.js'
import { runFrames } from '../../src/evm/interpreter/run-frames.js'
import type { Message } from '../../src/evm/message.js'
import { StateOverlay } from '../../src/evm/overlay/state-overlay.js'
import { PrecompileSet } from '../../src/evm/precompiles/precompile-set.js'
import { settleTransaction, startTransaction } from '../../src/evm/state-transition.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { encodeBytes, encodeList } from '../../src/rlp/encode.js'
import { blobParametersAt, fakeExponential } from '../../src/types/blob-fee.js'
import type { ChainConfig } from '../../src/types/chain-config.js'
import { publicKeyAddress, recoverSender } from '../../src/types/sender.js'
import { decodeTransaction } from '../../src/types/transaction.js'
import { loadCurves } from './load-curves.js'
import { type MemoryAccount, memoryState } from './memory-state.js'
import { stateRoot } from './state-root.js'
import { testChainConfig } from './test-forks.js'

/** The parts of a test file that are used. Numbers are hex texts with 0x. */
export interface StateTest {
  readonly env: { readonly [field: string]: string }
  readonly pre: { readonly [address: string]: StoredAccount }
  readonly transaction: StoredTransaction
  readonly post: { readonly [fork: string]: readonly PostState[] }
}

interface StoredAccount {
  readonly nonce: string
  readonly balance: string
  readonly code: string
  readonly storage: { readonly [slot: string]: string }
}

interface StoredTransaction {
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly nonce: string
  readonly to: string
  /** Older tests have only the key. */
  readonly sender?: string
  readonly secretKey?: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly accessLists?: readonly (
    | readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
    | null
  )[]
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly authorizationList?: readonly { readonly [field: string]: string }[]
}

/** One combination of data, gas and value, and what must come out. */
export interface PostState {
  readonly hash: string
  readonly logs: string
  readonly txbytes?: string
  readonly expectException?: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
}

const machine = new Machine()
const code = new CodePlacer(machine)

/** Runs one case; returns what is wrong, undefined where nothing is. */
export async function runStateTest(
  test: StateTest,
  fork: string,
  post: PostState,
  engine: EvmEngine['name'] = 'builtin',
): Promise<string | undefined> {
  const config = testChainConfig(fork)
  if (config === undefined) throw new RangeError(`fork: expected a known fork, got ${fork}`)
  const pre = readAccounts(test.pre)
  const { root, logs, refusal } = await execute(test, post, { config, pre, engine })
  if (post.expectException !== undefined && refusal === undefined) {
    return `expected ${post.expectException}, but the transaction was executed`
  }
  if (refusal !== undefined) {
    // geth does not compare the state after a transaction that was rightly refused; some tests have another root there.
    return post.expectException === undefined ? `refused: ${refusal}` : undefined
  }
  if (root !== post.hash) return `state root ${root}, expected ${post.hash}`
  if (logs !== post.logs) return `logs hash ${logs}, expected ${post.logs}`
  return undefined
}

interface TestOutcome {
  readonly root: string
  readonly logs: string
  /** Why the transaction was not executed. */
  readonly refusal?: string
}

interface Setting {
  readonly config: ChainConfig
  readonly pre: ReadonlyMap<string, MemoryAccount>
  readonly engine: EvmEngine['name']
}

async function execute(
  test: StateTest,
  post: PostState,
  { config, pre, engine }: Setting,
): Promise<TestOutcome> {
  await loadCurves()
  const block = readBlock(test.env, config)
  const rules = blockRules(config, block)
  const overlay = new StateOverlay(memoryState(pre))
  try {
    const message = readMessage(test, post, block.baseFee)
    checkBlobCount(message, config, block)
    checkSignature(post, config)
    const precompiles = new PrecompileSet(rules)
    const context = { config, rules, block, overlay, message, precompiles, checkTime() {} }
    const { gas, floorGas } = startTransaction(context)
    const { gasLeft } =
      engine === 'builtin'
        ? runFrames(context, { gas, thread: { machine, code } })
        : await runFramesOnEthereumjs(context, gas)
    settleTransaction(context, { floorGas, gasLeft })
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error
    return { root: bytesToHex(stateRoot(pre)), logs: '', refusal: error.message }
  }
  // The reward of the block, zero here, touches its beneficiary.
  overlay.addBalance(overlay.account(block.coinbase), 0n)
  const logs = overlay.logs.map(({ address, topics, data }) =>
    encodeList([encodeBytes(address), encodeList(topics.map(encodeBytes)), encodeBytes(data)]),
  )
  return {
    root: bytesToHex(stateRoot(finalState(pre, overlay, rules.eip158))),
    logs: bytesToHex(keccak256(encodeList(logs))),
  }
}

/** The state after the transaction, without what it destroyed and, from Spurious Dragon on, what it left empty. */
export function finalState(
  pre: ReadonlyMap<string, MemoryAccount>,
  overlay: StateOverlay,
  deletesEmpty: boolean,
): Map<string, MemoryAccount> {
  const state = new Map(pre)
  const storages = new Map<string, Map<string, string>>()
  for (const { account, key, value } of overlay.changedSlots()) {
    const address = bytesToHex(account.address)
    const storage = storages.get(address) ?? new Map(pre.get(address)?.storage)
    storage.set(bytesToHex(key), bytesToHex(value))
    storages.set(address, storage)
  }
  for (const account of overlay.accounts()) {
    const address = bytesToHex(account.address)
    const isDeleted = deletesEmpty && account.touched && overlay.isEmpty(account)
    if (!account.exists || account.selfDestructed || isDeleted) {
      state.delete(address)
      continue
    }
    const { nonce, balance } = account
    const storage = storages.get(address) ?? pre.get(address)?.storage ?? new Map()
    state.set(address, { nonce, balance, code: overlay.code(account), storage })
  }
  return state
}

function readAccounts(stored: StateTest['pre']): Map<string, MemoryAccount> {
  const accounts = new Map<string, MemoryAccount>()
  for (const [address, { nonce, balance, code, storage }] of Object.entries(stored)) {
    const slots = new Map<string, string>()
    for (const [slot, value] of Object.entries(storage)) slots.set(word(slot), word(value))
    accounts.set(bytesToHex(hexToBytes(address)), {
      nonce: integer(nonce),
      balance: integer(balance),
      code: hexToBytes(code),
      storage: slots,
    })
  }
  return accounts
}

function readBlock(env: StateTest['env'], config: ChainConfig): BlockContext {
  const london = config.londonBlock !== undefined
  const merged = london && env['currentRandom'] !== undefined
  const timestamp = integer(env['currentTimestamp']!)
  const blobs = blobParametersAt(config, timestamp)
  const excess = env['currentExcessBlobGas']
  return {
    number: integer(env['currentNumber']!),
    timestamp,
    gasLimit: integer(env['currentGasLimit']!),
    coinbase: hexToBytes(env['currentCoinbase']!),
    difficulty: merged ? 0n : integer(env['currentDifficulty'] ?? '0x0'),
    prevRandao: merged ? hexToBytes(word(env['currentRandom']!)) : undefined,
    baseFee: london ? integer(env['currentBaseFee'] ?? '0x0a') : undefined,
    blobBaseFee:
      blobs === undefined || excess === undefined
        ? undefined
        : fakeExponential(1n, integer(excess), blobs.baseFeeUpdateFraction),
    ancestorHash: (number) => keccak256(new TextEncoder().encode(number.toString())),
  }
}

function readMessage(
  { transaction }: StateTest,
  { indexes }: PostState,
  baseFee: bigint | undefined,
): Message {
  const { to, accessLists, blobVersionedHashes, maxFeePerBlobGas, authorizationList } = transaction
  const nonce = integer(transaction.nonce)
  if (nonce >> 64n !== 0n) throw new TransactionError(`nonce ${nonce} exceeds 2^64-1 (EIP-2681)`)
  const value = integer(transaction.value[indexes.value]!)
  if (value >> 256n !== 0n) throw new TransactionError('value exceeds 256 bits')
  const accessList = accessLists?.[indexes.data]
  return {
    from: readSender(transaction),
    to: to === '' ? undefined : hexToBytes(to),
    nonce,
    isSimulated: false,
    value,
    input: hexToBytes(transaction.data[indexes.data]!),
    gasLimit: integer(transaction.gasLimit[indexes.gas]!),
    ...readFees(transaction, baseFee),
    accessList: accessList?.map(({ address, storageKeys }) => ({
      address: hexToBytes(address),
      storageKeys: storageKeys.map((key) => hexToBytes(word(key))),
    })),
    blobFeeCap: maxFeePerBlobGas === undefined ? undefined : integer(maxFeePerBlobGas),
    blobHashes: blobVersionedHashes?.map(hexToBytes),
    authorizations: authorizationList?.map((item) => ({
      chainId: integer(item['chainId']!),
      address: hexToBytes(item['address']!),
      nonce: integer(item['nonce']!),
      yParity: Number(integer(item['v'] ?? item['yParity']!)),
      r: integer(item['r']!),
      s: integer(item['s']!),
    })),
  }
}

function readSender({ sender, secretKey = '' }: StoredTransaction): Uint8Array {
  if (sender !== undefined) return hexToBytes(sender)
  return publicKeyAddress(secp256k1.getPublicKey(hexToBytes(secretKey), false).subarray(1))
}

function readFees(
  transaction: StoredTransaction,
  baseFee: bigint | undefined,
): Pick<Message, 'gasPrice' | 'feeCap' | 'tipCap'> {
  const gasPrice = transaction.gasPrice === undefined ? undefined : integer(transaction.gasPrice)
  if (baseFee === undefined) return { gasPrice: gasPrice!, feeCap: gasPrice!, tipCap: gasPrice! }
  const feeCap = transaction.maxFeePerGas === undefined ? (gasPrice ?? 0n) : integer(transaction.maxFeePerGas)
  const tip = transaction.maxPriorityFeePerGas
  const tipCap = tip === undefined ? feeCap : integer(tip)
  const price = tipCap + baseFee
  return { gasPrice: price > feeCap ? feeCap : price, feeCap, tipCap }
}

/** More blobs than a block may hold: what block validation refuses. */
function checkBlobCount({ blobHashes }: Message, config: ChainConfig, block: BlockContext): void {
  const limit = blobParametersAt(config, block.timestamp)?.max ?? Number.POSITIVE_INFINITY
  if (blobHashes !== undefined && blobHashes.length > limit)
    throw new TransactionError('blob gas exceeds maximum')
}

/** The signed bytes must be a transaction that the fork knows. */
function checkSignature({ txbytes }: PostState, config: ChainConfig): void {
  if (txbytes === undefined || txbytes === '0x') return
  try {
    const transaction = decodeTransaction(hexToBytes(txbytes))
    const first = (['berlinBlock', 'londonBlock', 'cancunTime', 'pragueTime'] as const)[transaction.type - 1]
    if (first !== undefined && config[first] === undefined)
      throw new RangeError('transaction type not supported')
    if (recoverSender(transaction) === undefined) throw new RangeError('invalid signature')
  } catch (cause) {
    throw new TransactionError(`transaction bytes: ${cause instanceof Error ? cause.message : cause}`)
  }
}

function integer(text: string): bigint {
  if (text === '0x' || text === '') return 0n
  return BigInt(text.startsWith('0x:bigint ') ? text.slice(10) : text)
}

function word(text: string): string {
  return bytesToHex(bigIntToBytes(integer(text), 32))
}
