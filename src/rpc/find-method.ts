// Finds the method of a call, and says what is wrong with a name that is none. Follows handleCall in geth's rpc/handler.go.
import { longestQuoted, quoteAsGo } from './go-quote.js'
import { jsonKind } from './json/cut.js'
import { unquoteStart } from './json/strings.js'
import { invalidParams, type JsonRpcError, rpcError } from './json-rpc-error.js'
import type { Call } from './message.js'
import type { Method } from './method.js'
import { methods } from './methods/registry.js'
import { subscriptions } from './methods/subscription.js'
import { chainTraces } from './methods/trace-chain.js'
import { decodeArguments } from './parameters/parameter.js'
import { decodeString } from './parameters/unmarshal.js'
import type { RequestContext } from './request-scope.js'

const maxMethodNameBytes = 2_048

/** The method that a call names. Throws {@link JsonRpcError} if there is none, or the caller may not call it. */
export function findMethod(call: Call, context: RequestContext): Method {
  const kinds = subscriptionsBy.get(call.method)
  const method = kinds === undefined ? methods.get(call.method) : findSubscription(kinds, call, context)
  if (method === undefined || context.methods?.has(call.method) === false) throw unknownMethod(call, context)
  return method
}

/** Kinds of subscriptions by the method that subscribes to them. */
const subscriptionsBy: ReadonlyMap<string, ReadonlyMap<string, Method>> = new Map([
  ['eth_subscribe', subscriptions],
  ['debug_subscribe', chainTraces],
])

/** The method for the kind of subscription that a call names. */
function findSubscription(
  kinds: ReadonlyMap<string, Method>,
  { args }: Call,
  { duplex, news }: RequestContext,
): Method | undefined {
  const [name = ''] = args
  if (!duplex || news?.connection === undefined || jsonKind(name) !== 'string') return undefined
  return kinds.get(unquoteStart(name, longestQuoted))
}

/** Why a name is no method: too long, a subscription, or simply not there. */
function unknownMethod(call: Call, { duplex, limits }: RequestContext): JsonRpcError {
  const { method: name, methodBytes: bytes = Buffer.byteLength(name) } = call
  if (bytes > maxMethodNameBytes) {
    return rpcError('methodNameTooLong', { bytes, limit: maxMethodNameBytes })
  }
  if (name.endsWith('_subscribe')) {
    return duplex ? unknownSubscription(call) : rpcError('notificationsNotSupported')
  }
  if (name.endsWith('_unsubscribe')) {
    decodeArguments(call, [{ decode: (raw) => decodeString(raw, 'rpc.ID') }], limits)
    return rpcError('subscriptionNotFound')
  }
  return rpcError('methodNotFound', { name })
}

function unknownSubscription({ method, params, args }: Call): JsonRpcError {
  if (params === undefined || jsonKind(params) !== 'array') return rpcError('nonArrayArguments')
  const [first = ''] = args
  if (jsonKind(first) !== 'string') return invalidParams('expected subscription name as first argument')
  const namespace = method.slice(0, method.indexOf('_'))
  return rpcError('unknownSubscription', {
    name: quoteAsGo(unquoteStart(first, longestQuoted)),
    namespace,
  })
}
