// What a JSON-RPC method is: parameters, a function from decoded arguments to JSON text, and its description in the
// OpenRPC document.
import type { Abortable, Awaitable } from '../awaitable.js'
import type { ChainView } from '../datadir/chain-view.js'
import type { JsonText } from './json/json-text.js'
import type { Limits } from './limits.js'
import type { Parameter, ValuesOf } from './parameters/parameter.js'
import type { JsonSchema } from './schemas.js'
import type { CallerNews } from './subscriptions/caller-news.js'

/** What a method works with, except its arguments. */
export interface MethodContext extends Abortable {
  readonly view: ChainView
  readonly limits: Limits
  /** Names of the methods that the caller may call; undefined for all. */
  readonly methods?: ReadonlySet<string> | undefined
  /** Filters of the caller, and the subscriptions of its connection; undefined if it can have none. */
  readonly news?: CallerNews | undefined
  /** The time on this machine in seconds since 1970. An answer that depends on it is not cached. */
  nowSeconds(): bigint
}

/** A method, whatever its arguments. */
export interface Method {
  /** A line for readers. */
  readonly summary: string
  readonly result: JsonSchema
  readonly parameters: readonly Parameter<unknown>[]
  /** Whether a call takes long enough to wait for its turn: more than about a millisecond. */
  isHeavy(values: readonly unknown[]): boolean
  /** For a heavy call: whether workers run most of it, so that its caller can start others meanwhile. */
  readonly runsOnWorkers: boolean
  /** Whether the answer depends on more than arguments and view, or changes something, so that it is not cached. */
  readonly isStateful?: boolean
  /** Returns the result as JSON text; throws JsonRpcError or anything that the error table knows. */
  run(context: MethodContext, values: readonly unknown[]): Awaitable<JsonText>
  /** As `run`, for arguments that take too long to decode on the main thread: their JSON texts. */
  runLarge?: ((context: MethodContext, args: readonly string[]) => Promise<JsonText>) | undefined
}

interface MethodDeclaration<P extends readonly Parameter<unknown>[]> {
  readonly summary: string
  readonly parameters: P
  readonly result: JsonSchema
  readonly run: (context: MethodContext, ...values: ValuesOf<P>) => Awaitable<JsonText>
  readonly runLarge?: Method['runLarge']
  /** Default never. */
  readonly isHeavy?: (...values: ValuesOf<P>) => boolean
  /** Default false. */
  readonly runsOnWorkers?: boolean
  /** Default false. */
  readonly isStateful?: boolean
}

/** Declares a method; the types of its arguments come from its parameters. */
export function method<const P extends readonly Parameter<unknown>[]>({
  run,
  isHeavy = () => false,
  runsOnWorkers = false,
  isStateful = false,
  ...description
}: MethodDeclaration<P>): Method {
  return {
    ...description,
    runsOnWorkers,
    isStateful,
    isHeavy: (values) => isHeavy(...(values as ValuesOf<P>)),
    run: (context, values) => run(context, ...(values as ValuesOf<P>)),
  }
}

/** For methods that are heavy whatever their arguments. */
export function alwaysHeavy(): boolean {
  return true
}

/** For methods that are always heavy, and whose work is done by workers. */
export const onWorkers = { isHeavy: alwaysHeavy, runsOnWorkers: true } as const

/** JSON of an absent result. */
export const absentJson = 'null'

/** The namespace of a method: the part of its name before the underscore, or before the dot of `rpc.discover`. */
export function namespaceOf(method: string): string {
  return method.slice(0, method.search(/[_.]/))
}
