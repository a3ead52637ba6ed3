// How fast calls run on the built-in engine and on @ethereumjs/evm, in this process on a state in memory: view calls as
// wallets and routers make them, and loops that show one kind of work each; then how soon calls that are made to hurt end
// once they are stopped. ENGINES=builtin skips the slow engine.
import { readFileSync } from 'node:fs'
import { bigIntToBytes, bytesToHex, concatBytes, hexToBytes } from '../src/bytes.js'
import { GethReaderError } from '../src/errors.js'
import { runCall } from '../src/evm/call.js'
import type { CallContext, CallRequest, EvmEngine } from '../src/evm/engine.js'
import { ethereumjsEngine } from '../src/evm/ethereumjs/engine.js'
import { keccak256 } from '../src/kernel/keccak.js'
import { TaskSignal } from '../src/stop.js'
import { parseChainConfig } from '../src/types/chain-config.js'
import type { Header } from '../src/types/header.js'
import { hostileRequest } from '../test/evm/hostile-calls.js'
import { loadCurves } from '../test/evm/load-curves.js'
import { type MemoryAccount, memoryState } from '../test/evm/memory-state.js'
import { Random } from '../test/random.js'
import { median, percentile99, type Row, report, round } from './report.js'

interface Contract {
  readonly code: string
  readonly selectors: Readonly<Record<string, string>>
}

const file = new URL('../../contracts.json', import.meta.url)
const contracts = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Contract>>

const address = (last: number) => bigIntToBytes(BigInt(last), 20)
const word = (value: bigint | number) => bigIntToBytes(BigInt(value), 32)
const hexWord = (value: bigint | number) => bytesToHex(word(value))
const mappingSlot = (key: Uint8Array, slot: Uint8Array) =>
  keccak256(concatBytes(new Uint8Array(32 - key.length), key, slot))

const holder = address(0x1234)
const token = address(0x2000)
const quoter = address(0x3000)
const loops = address(0x4000)
const [tokenA, tokenB, tokenC] = [0xa, 0xb, 0xc].map(address) as [Uint8Array, Uint8Array, Uint8Array]
const [pairAB, pairBC] = [address(0x5001), address(0x5002)]
const reserves = hexWord(((10n ** 21n) << 112n) | (2n * 10n ** 21n))

const state = new Map<string, MemoryAccount>()
function put(where: Uint8Array, name: string, storage: Iterable<[string, string]> = []): void {
  const code = hexToBytes(contracts[name]!.code)
  state.set(bytesToHex(where), { nonce: 1n, balance: 0n, code, storage: new Map(storage) })
}
const pairSlot = (a: Uint8Array, b: Uint8Array) => bytesToHex(mappingSlot(b, mappingSlot(a, word(0))))
put(token, 'Token', [[bytesToHex(mappingSlot(holder, word(0))), hexWord(10n ** 18n)]])
put(quoter, 'Quoter', [
  [pairSlot(tokenA, tokenB), hexWord(0x5001)],
  [pairSlot(tokenB, tokenC), hexWord(0x5002)],
])
put(pairAB, 'Pair', [[hexWord(0), reserves]])
put(pairBC, 'Pair', [[hexWord(0), reserves]])
put(loops, 'Loops')

const config = parseChainConfig(
  JSON.stringify({
    chainId: 1,
    ...Object.fromEntries(
      ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
        .concat('berlin', 'london')
        .map((fork) => [`${fork}Block`, 0]),
    ),
    ...Object.fromEntries(['shanghai', 'cancun', 'prague', 'osaka'].map((fork) => [`${fork}Time`, 0])),
    terminalTotalDifficulty: 0,
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } },
  }),
)
const zeroHash = new Uint8Array(32)
const header: Header = {
  parentHash: zeroHash,
  unclesHash: zeroHash,
  miner: address(0xcb),
  stateRoot: zeroHash,
  transactionsRoot: zeroHash,
  receiptsRoot: zeroHash,
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 20_000_000,
  gasLimit: 60_000_000n,
  gasUsed: 0n,
  timestamp: 1_760_000_000n,
  extraData: new Uint8Array(),
  mixHash: zeroHash,
  nonce: new Uint8Array(8),
  baseFeePerGas: 10n ** 9n,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
}
const context: CallContext = { config, state: memoryState(state), blockHash: () => undefined }

function request(
  to: Uint8Array,
  contract: string,
  method: string,
  ...args: readonly Uint8Array[]
): CallRequest {
  const input = concatBytes(hexToBytes(contracts[contract]!.selectors[method]!), ...args)
  return { call: { to, input, from: holder }, header, gasCap: 600_000_000n, timeoutMilliseconds: 0 }
}

const padded = (bytes: Uint8Array) => concatBytes(new Uint8Array(12), bytes)
const signature = [
  hexToBytes('456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3'),
  word(28),
  hexToBytes('9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608'),
  hexToBytes('4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada'),
]

interface Case {
  readonly name: string
  readonly request: CallRequest
  /** Runs in a round: built-in engine, @ethereumjs/evm. */
  readonly calls: readonly [builtin: number, ethereumjs: number]
}

const loop = (method: string, turns: number, ...more: readonly Uint8Array[]) =>
  request(loops, 'Loops', method, word(turns), ...more)
const cases: readonly Case[] = [
  {
    name: 'ERC-20 balanceOf',
    request: request(token, 'Token', 'balanceOf', padded(holder)),
    calls: [2000, 60],
  },
  {
    name: 'getAmountsOut, two hops',
    request: request(
      quoter,
      'Quoter',
      'getAmountsOut',
      ...[word(10n ** 18n), word(64), word(3), padded(tokenA), padded(tokenB), padded(tokenC)],
    ),
    calls: [300, 12],
  },
  { name: 'arithmetic loop', request: loop('arithmetic', 20_000), calls: [8, 1] },
  { name: 'checked addition loop', request: loop('checkedAdd', 20_000), calls: [8, 1] },
  { name: 'memory loop', request: loop('memoryLoop', 10_000), calls: [8, 1] },
  { name: 'keccak loop', request: loop('keccakLoop', 3_000), calls: [8, 1] },
  { name: 'storage loop', request: loop('storageLoop', 2_000), calls: [8, 1] },
  { name: 'nested calls', request: loop('nested', 500), calls: [8, 1] },
  { name: 'calls 500 deep', request: loop('deep', 500), calls: [8, 1] },
  { name: 'ecrecover loop', request: loop('ecrecoverLoop', 100, ...signature), calls: [2, 1] },
]

const withEthereumjs = process.env['ENGINES'] !== 'builtin'
const ethereumjs: EvmEngine | undefined = withEthereumjs ? ethereumjsEngine : undefined

const rows: Row[] = []
for (const { name, request, calls } of cases) {
  const { gasUsed, output } = runCall(request, context)
  const found = await ethereumjs?.call(request, context)
  if (found && (found.gasUsed !== gasUsed || bytesToHex(found.output) !== bytesToHex(output))) {
    throw new Error(`${name}: the engines disagree`)
  }
  const builtin: number[] = []
  const other: number[] = []
  for (let turn = 0; turn < 12; turn++) {
    let start = performance.now()
    for (let i = 0; i < calls[0]; i++) runCall(request, context)
    builtin.push((performance.now() - start) / calls[0])
    if (ethereumjs === undefined) continue
    start = performance.now()
    for (let i = 0; i < calls[1]; i++) await ethereumjs.call(request, context)
    other.push((performance.now() - start) / calls[1])
  }
  const [builtinMs, otherMs] = [
    median(builtin.slice(4)),
    median(other.slice(4).concat(Number.NaN).slice(0, -1)),
  ]
  rows.push({
    call: name,
    gas: Number(gasUsed),
    'builtin µs': round(builtinMs * 1000),
    'builtin Mgas/s': round(Number(gasUsed) / builtinMs / 1000),
    ...(ethereumjs !== undefined && {
      'ethereumjs µs': round(otherMs * 1000),
      ratio: round(otherMs / builtinMs),
    }),
  })
}
report('Calls, in process', rows)

/** How long calls still ran once their time was over, by name. */
const overtimes = new Map<string, number[]>()
const random = new Random(1)
await loadCurves()
const end = performance.now() + 20_000
for (let run = 0; run < 1_000 && performance.now() < end; run++) {
  const { name, body } = hostileRequest(random)
  const [, , overrides] = JSON.parse(body).params as [unknown, unknown, Record<string, { code: string }>]
  const [[to, { code }]] = Object.entries(overrides) as [[string, { code: string }]]
  const account = { nonce: 1n, balance: 0n, code: hexToBytes(code), storage: new Map<string, string>() }
  const attemptMilliseconds = 1 + random.below(30)
  const call = { call: { to: hexToBytes(to) }, header, gasCap: 600_000_000n, timeoutMilliseconds: 0 }
  const started = performance.now()
  try {
    const state = memoryState(new Map([[to, account]]))
    runCall(call, { ...context, state }, TaskSignal.timeout(attemptMilliseconds))
  } catch (error) {
    if (!(error instanceof GethReaderError)) throw error
    // A call is stopped as it is timed out: where it looks at the clock.
    if (error.code !== 'DEADLINE_EXCEEDED') continue
    const overtime = performance.now() - started - attemptMilliseconds
    overtimes.set(name, [...(overtimes.get(name) ?? []), overtime])
  }
}
const all = [...overtimes.values()].flat()
const slowest = [...overtimes].toSorted(([, a], [, b]) => Math.max(...b) - Math.max(...a)).slice(0, 8)
report(
  'Until a stopped call ends',
  [['all', all] as const, ...slowest].map(([name, milliseconds]) => ({
    call: name,
    stopped: milliseconds.length,
    'median ms': round(median(milliseconds)),
    'p99 ms': round(percentile99(milliseconds)),
    'most ms': round(Math.max(...milliseconds)),
  })),
)
