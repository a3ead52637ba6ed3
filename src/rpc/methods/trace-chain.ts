// debug_subscribe "traceChain": traces of a range of blocks as notifications, a block after the other. Follows TraceChain of
// geth's eth/tracers/api.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { ChainView } from '../../datadir/chain-view.js'
import { rpcError, serverError } from '../json-rpc-error.js'
import { type Method, type MethodContext, method } from '../method.js'
import { type BlockNumberArgument, decodeBlockNumber } from '../parameters/block.js'
import { required } from '../parameters/parameter.js'
import { decodeId } from '../parameters/subscription-id.js'
import type { TraceConfigArgument } from '../parameters/trace-config.js'
import { decodeString } from '../parameters/unmarshal.js'
import { schemaOf } from '../schemas.js'
import { takeFrom } from '../subscriptions/news-quota.js'
import { isPending, selectPending } from './block-selection.js'
import { unsubscribe } from './subscription.js'
import { config, headerToTrace, parentOf, traceSettings } from './trace.js'

/** Numbers that geth has for names of blocks, which its error texts show. */
const tagNumbers = { pending: -1, latest: -2, finalized: -3, safe: -4, earliest: -5 } as const

function goNumber(argument: BlockNumberArgument): bigint | number {
  return 'tag' in argument ? tagNumbers[argument.tag] : argument.number
}

function numberOf(context: MethodContext, argument: BlockNumberArgument): number {
  const { header } = isPending(argument) ? selectPending(context) : headerToTrace(context.view, argument)
  return header.number
}

/** Characters of a notification, which the connection must hold until the client reads it. geth has no limit. */
const mostCharacters = 4 * 2 ** 20

/** The block before the first one that is traced, and the last one. */
interface TracedRange {
  readonly start: number
  readonly end: number
}

async function subscribe(
  context: MethodContext,
  [from, to, argument]: readonly [BlockNumberArgument, BlockNumberArgument, TraceConfigArgument],
): Promise<string> {
  const { news, limits } = context
  const range = { start: numberOf(context, from), end: numberOf(context, to) }
  if (range.start >= range.end) {
    throw serverError(`end block (#${goNumber(to)}) needs to come after start block (#${goNumber(from)})`)
  }
  const { connection, quota } = news ?? {}
  if (connection === undefined || quota === undefined) throw rpcError('notificationsNotSupported')
  await takeFrom(quota)
  const { limitCharacters, ...timing } = traceSettings(argument, limits)
  const settings = { ...timing, limitCharacters: Math.min(limitCharacters, mostCharacters) }
  const id = connection.stream({
    namespace: 'debug',
    steps: range.end - range.start,
    run: (view, step, signal) => traceJson(view, { range, step, settings }, signal),
  })
  return `"${id}"`
}

/** The traces of a block; undefined for a block without transactions, unless it is the last one. */
async function traceJson(
  view: ChainView,
  {
    range,
    step,
    settings,
  }: {
    readonly range: TracedRange
    readonly step: number
    readonly settings: ReturnType<typeof traceSettings>
  },
  signal: AbortSignal,
): Promise<string | undefined> {
  const number = range.start + step + 1
  const { header, hash } = headerToTrace(view, { number: BigInt(number) })
  const { header: parent } = parentOf(view, header)
  const traces = await view.trace(parent, { settings, block: { hash }, showsErrors: true }, { signal })
  const json = new TextDecoder().decode(traces)
  if (json === '[]' && number < range.end) return undefined
  return `{"block":"${quantity(number)}","hash":"${bytesToHex(hash)}","traces":${json}}`
}

const id = { result: schemaOf('Quantity'), isStateful: true } as const

/** What can be subscribed to in the namespace `debug`, by name. */
export const chainTraces: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'traceChain',
    method({
      ...id,
      summary:
        'Traces of the transactions of the blocks after one block up to another, a notification for each',
      parameters: [
        required('name', 'Text', (raw) => decodeString(raw)),
        required('start', 'BlockNumber', decodeBlockNumber),
        required('end', 'BlockNumber', decodeBlockNumber),
        config,
      ],
      run: (context, _, start, end, argument) => subscribe(context, [start, end, argument]),
    }),
  ],
])

/** Subscription methods of the namespace by name; a call of `debug_subscribe` runs one of {@link chainTraces}. */
export const chainTraceMethods = {
  debug_subscribe: method({
    ...id,
    summary: 'Id of a new subscription of this WebSocket, by its name: traceChain',
    parameters: [
      required('name', 'Text', (raw) => decodeString(raw)),
      required('start', 'BlockNumber', decodeBlockNumber),
      required('end', 'BlockNumber', decodeBlockNumber),
      config,
    ],
    run() {
      throw rpcError('notificationsNotSupported')
    },
  }),

  debug_unsubscribe: method({
    summary: 'Ends a subscription of this WebSocket',
    parameters: [required('id', 'Text', decodeId)],
    result: { const: true },
    isStateful: true,
    run: unsubscribe,
  }),
}
