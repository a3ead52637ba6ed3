// What is asked: recorded requests with geth's answers, drawn in the shares that methods have in real traffic.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readTranscriptMeta, readTranscripts } from '../../test/fixtures.js'
import { Random } from '../../test/random.js'

/**
 * Percent of all requests on Ethereum's main network ("Method Distribution" of the EthClient Summit, as cited in
 * lambdaclass/ethrex issue 6745). The first six are published one by one; the next four share 7.4 percent, and the
 * rest of what this service answers stands for the remaining 7, both divided by estimate.
 */
const shares: Readonly<Record<string, number>> = {
  eth_call: 52.8,
  eth_getBlockByNumber: 10.3,
  eth_getBalance: 6.9,
  eth_chainId: 5.8,
  eth_getTransactionReceipt: 5.8,
  eth_blockNumber: 4,
  eth_getLogs: 2.6,
  eth_getTransactionByHash: 2,
  eth_getTransactionCount: 1.6,
  eth_getCode: 1.2,
  eth_getStorageAt: 2,
  eth_getBlockByHash: 1.5,
  eth_getBlockReceipts: 1.5,
  net_version: 1,
  eth_getTransactionByBlockHashAndIndex: 0.5,
  eth_getTransactionByBlockNumberAndIndex: 0.5,
}

/** Of the requests for a block, those that want its transactions, where they are in the mix at all. */
export const fullBlockShare = 0.5

/** A request. */
export interface Asked {
  readonly method: string
  /** The request as it is sent. */
  readonly body: string
}

/** A request with geth's response. */
export interface RecordedRequest extends Asked {
  /** The recorded response, parsed. */
  readonly recorded: Readonly<Record<string, unknown>>
  readonly wantsFullBlock: boolean
}

interface Recorded {
  readonly request: { readonly method: string; readonly params: unknown }
  readonly response: Readonly<Record<string, unknown>>
}

export interface Recording {
  readonly requests: readonly RecordedRequest[]
  /** Value of `--rpc.gascap` under which it was made. */
  readonly gasCap: number
}

/** The recordings of a fixture in testdata/. */
export function readFixtureRecording(name: string): Recording {
  const recorded = readTranscripts(name).filter(({ rule }) => rule === undefined)
  return { requests: requestsOf(recorded), gasCap: readTranscriptMeta(name).gasCap }
}

/** A recording as JSON lines, perhaps gzipped: a line of `meta`, then `req` and `res`. */
export function readRecordingFile(file: string): Recording {
  const bytes = readFileSync(file)
  const text = file.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
  const [first = '', ...lines] = text.trimEnd().split('\n')
  const { meta } = JSON.parse(first) as { meta: { gasCap: number } }
  const recorded = lines.map((line): Recorded => {
    const { req: request, res: response } = JSON.parse(line)
    return { request, response }
  })
  return { requests: requestsOf(withDerived(recorded)), gasCap: meta.gasCap }
}

/** Recordings of the methods that were asked, and of those whose answers follow from them. */
function withDerived(recorded: readonly Recorded[]): Recorded[] {
  const all = [...recorded]
  for (const { request, response } of recorded) {
    const result = response['result'] as { hash?: string } | null | undefined
    if (typeof result?.hash !== 'string') continue
    const ask = (method: string, params: unknown[]) => all.push({ request: { method, params }, response })
    if (request.method.startsWith('eth_getTransactionBy')) ask('eth_getTransactionByHash', [result.hash])
    if (request.method === 'eth_getBlockByNumber') {
      ask('eth_getBlockByHash', [result.hash, (request.params as unknown[])[1]])
    }
  }
  return all
}

function requestsOf(recorded: readonly Recorded[]): RecordedRequest[] {
  return recorded.filter(isOrdinary).map(({ request: { method, params }, response }) => ({
    method,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    recorded: { ...response, id: 1 },
    wantsFullBlock: method.startsWith('eth_getBlockBy') && (params as unknown[])[1] === true,
  }))
}

/** Whether applications ask such things: what has a result or reverts; of the calls those as the ABI encodes them. */
function isOrdinary({ request: { method, params }, response }: Recorded): boolean {
  const { code } = (response['error'] ?? {}) as { code?: number }
  if (shares[method] === undefined || !Array.isArray(params) || (code !== undefined && code !== 3))
    return false
  // Its time is that of the moment.
  if (JSON.stringify(params).includes('"pending"')) return false
  return method !== 'eth_call' || (params.length < 3 && isAbiCall(params[0] ?? {}))
}

/** A selector and whole words for a contract. */
function isAbiCall({ to, data, input = data }: { to?: string; data?: string; input?: string }): boolean {
  return typeof to === 'string' && !/^0x0{35}/.test(to) && (input ?? '').length % 64 === 10
}

/** Draws methods in their shares. Methods that are not in the set are left out. */
export function drawMethods(present: ReadonlySet<string>, random: Random): () => string {
  let total = 0
  const ends = Object.entries(shares)
    .filter(([method]) => present.has(method))
    .map(([method, share]) => {
      total += share
      return { method, end: total }
    })
  return () => {
    const at = random.fraction() * total
    return ends.find(({ end }) => at < end)!.method
  }
}

/** Requests in their shares, as a list to repeat; the same for every call. */
export function mixOf<Q extends RecordedRequest>(
  requests: readonly Q[],
  { fullBlocks, length = 20_000 }: { readonly fullBlocks: boolean; readonly length?: number },
): Q[] {
  const random = new Random(1)
  const methods = new Set(requests.map(({ method }) => method))
  const draw = drawMethods(methods, random)
  const pools = new Map(
    Array.from(methods, (name) => {
      const all = requests.filter(({ method }) => method === name)
      const full = all.filter(({ wantsFullBlock }) => wantsFullBlock)
      return [name, { full, light: all.filter((request) => !full.includes(request)) }]
    }),
  )
  return Array.from({ length }, () => {
    const { full, light } = pools.get(draw())!
    return random.pick(fullBlocks && full.length > 0 && random.fraction() < fullBlockShare ? full : light)
  })
}
