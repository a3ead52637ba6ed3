// The config of a trace: which tracer, its options and its time. Follows TraceConfig and TraceCallConfig of geth's
// eth/tracers/api.go. Mistakes inside of `tracerConfig` are reported only if a transaction is traced, as in geth.
import type { BlockOverrides, StateOverrides, StructLogOptions, TracerSpec } from '../../evm/engine.js'
import { jsonKind } from '../json/cut.js'
import { unquoteStart } from '../json/strings.js'
import { checkChainConfig } from './chain-config.js'
import { parseGoDuration } from './go-duration.js'
import { decodeUint, decodeUint64 } from './hex.js'
import { decodeInt } from './number.js'
import { decodeBlockOverrides, decodeStateOverrides } from './overrides.js'
import {
  DecodeError,
  type FieldDecoder,
  MismatchError,
  structType,
  type UnmarshalState,
  unmarshal,
} from './unmarshal.js'

/** A config as the caller gave it. */
export interface TraceConfigArgument {
  readonly tracer: TracerSpec
  /** Milliseconds, or what is wrong with them; undefined if nothing was said. */
  readonly timeout: { readonly milliseconds: number } | { readonly problem: string } | undefined
}

/** The config of a traced call. */
export interface TraceCallConfigArgument extends TraceConfigArgument {
  readonly stateOverrides: StateOverrides | undefined
  readonly blockOverrides: BlockOverrides | undefined
  /** Index of the transaction before which the call runs. */
  readonly transactionIndex: bigint | undefined
}

type Mutable<T> = { -readonly [K in keyof T]?: T[K] | undefined }

interface ConfigDraft {
  logger: Mutable<StructLogOptions>
  tracer?: string | undefined
  timeout?: string | undefined
  /** JSON text. */
  tracerConfig: string
}

interface CallConfigDraft extends ConfigDraft {
  stateOverrides?: StateOverrides | undefined
  blockOverrides?: BlockOverrides | undefined
  transactionIndex?: bigint | undefined
}

/** Longest options of a tracer, in characters: to read them takes up to 20 ms (2026-11-24). */
const longestOptions = 65_536

function checkLength(name: string, raw: string): void {
  if (raw.length > longestOptions)
    throw new DecodeError(`${name} is longer than ${longestOptions} characters`)
}

/** Longest script whose text is looked at. */
const longestTracer = 256

function flag<K extends string>(key: K): FieldDecoder<{ [P in K]?: boolean | undefined }> {
  return (target, raw, state) => {
    if (raw === 'true' || raw === 'false') target[key] = (raw === 'true') as never
    else if (raw !== 'null') state.mismatch(raw, 'bool')
  }
}

function integer<K extends string>(key: K): FieldDecoder<{ [P in K]?: number | undefined }> {
  return (target, raw, state) => {
    if (raw === 'null') return
    try {
      target[key] = Number(decodeInt(raw)) as never
    } catch (error) {
      if (!(error instanceof MismatchError)) throw error
      state.save(error)
    }
  }
}

function text<K extends string>(key: K, characters: number): FieldDecoder<{ [P in K]?: string | undefined }> {
  return (target, raw, state) => {
    if (raw === 'null') target[key] = undefined
    else if (jsonKind(raw) !== 'string') state.mismatch(raw, 'string')
    else target[key] = unquoteStart(raw, characters) as never
  }
}

/** A field of the struct logger's options, which stand in the config itself. */
function loggerField(decode: FieldDecoder<Mutable<StructLogOptions>>): FieldDecoder<ConfigDraft> {
  return (target, raw, state) => decode(target.logger, raw, state)
}

const loggerFields = {
  EnableMemory: loggerField(flag('enableMemory')),
  DisableStack: loggerField(flag('disableStack')),
  DisableStorage: loggerField(flag('disableStorage')),
  EnableReturnData: loggerField(flag('enableReturnData')),
  Limit: loggerField(integer('limit')),
  overrides: (_target: ConfigDraft, raw: string, state: UnmarshalState) => {
    checkLength('overrides', raw)
    checkChainConfig(raw, state)
  },
}

const commonFields: Readonly<Record<string, FieldDecoder<ConfigDraft>>> = {
  ...withPrefix('Config.', loggerFields),
  Tracer: text('tracer', longestTracer),
  Timeout: text('timeout', longestTracer),
  TracerConfig: (target, raw) => {
    checkLength('tracerConfig', raw)
    target.tracerConfig = raw
  },
}

/** Fields of embedded structs, which Go's error texts name with the struct's name. */
function withPrefix<T>(
  prefix: string,
  fields: Readonly<Record<string, FieldDecoder<T>>>,
): Record<string, FieldDecoder<T>> {
  return Object.fromEntries(Object.entries(fields).map(([name, decode]) => [prefix + name, decode]))
}

const configType = structType<ConfigDraft>('tracers.TraceConfig', commonFields)

const callSettingsFields: Readonly<Record<string, FieldDecoder<CallConfigDraft>>> = {
  ...withPrefix('TraceConfig.', commonFields),
  TxIndex: (target, raw) => {
    target.transactionIndex = raw === 'null' ? undefined : decodeUint(raw)
  },
}

/** The same without its overrides, for those who do not need them. */
const callSettingsType = structType<CallConfigDraft>('tracers.TraceCallConfig', callSettingsFields)

const callConfigType = structType<CallConfigDraft>('tracers.TraceCallConfig', {
  ...callSettingsFields,
  StateOverrides: (target, raw, state) => {
    target.stateOverrides = decodeStateOverrides(raw, state)
  },
  BlockOverrides: (target, raw, state) => {
    target.blockOverrides = decodeBlockOverrides(raw, state)
  },
})

/** tracers.TraceConfig; `null` is the empty one. */
export function decodeTraceConfig(raw: string): TraceConfigArgument {
  const draft: ConfigDraft = { logger: {}, tracerConfig: '{}' }
  unmarshal((state) => state.struct(raw, configType, draft))
  return traceConfig(draft)
}

/** tracers.TraceCallConfig; `null` is the empty one. */
export function decodeTraceCallConfig(raw: string): TraceCallConfigArgument {
  return decodeCallConfig(raw, callConfigType)
}

/** As {@link decodeTraceCallConfig}, but overrides are left out. */
export function decodeTraceCallSettings(raw: string): TraceCallConfigArgument {
  return decodeCallConfig(raw, callSettingsType)
}

function decodeCallConfig(raw: string, type: typeof callConfigType): TraceCallConfigArgument {
  const draft: CallConfigDraft = { logger: {}, tracerConfig: '{}' }
  unmarshal((state) => state.struct(raw, type, draft))
  const { stateOverrides, blockOverrides, transactionIndex } = draft
  return { ...traceConfig(draft), stateOverrides, blockOverrides, transactionIndex }
}

function traceConfig({ tracer, logger, tracerConfig, timeout }: ConfigDraft): TraceConfigArgument {
  return {
    tracer:
      tracer === undefined
        ? { name: 'structLogger', options: logger as StructLogOptions }
        : namedTracer(tracer, tracerConfig),
    timeout: timeout === undefined ? undefined : decodeTimeout(timeout),
  }
}

function decodeTimeout(text: string): TraceConfigArgument['timeout'] {
  try {
    return { milliseconds: parseGoDuration(text) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { problem: error.message }
  }
}

/** Decodes the options of a tracer that is inside of as many muxTracers. */
type OptionsDecoder = (config: string, depth: number) => TracerSpec

/** Options that are a Go struct of its own. */
function struct<O extends object>(
  goType: string,
  fields: Readonly<Record<string, FieldDecoder<Mutable<O>>>>,
): (config: string) => O {
  const type = structType<Mutable<O>>(goType, fields)
  return (config) => {
    const options: Mutable<O> = {}
    unmarshal((state) => state.struct(config, type, options))
    return options as O
  }
}

const callOptions = struct<{ onlyTopCall: boolean; withLog: boolean }>('native.callTracerConfig', {
  onlyTopCall: flag('onlyTopCall'),
  withLog: flag('withLog'),
})

const flatOptions = struct<{ convertParityErrors: boolean; includePrecompiles: boolean }>(
  'native.flatCallTracerConfig',
  { convertParityErrors: flag('convertParityErrors'), includePrecompiles: flag('includePrecompiles') },
)

const prestateOptions = struct<{
  diffMode: boolean
  disableCode: boolean
  disableStorage: boolean
  includeEmpty: boolean
}>('native.PrestateTracerConfig', {
  diffMode: flag('diffMode'),
  disableCode: flag('disableCode'),
  disableStorage: flag('disableStorage'),
  includeEmpty: flag('includeEmpty'),
})

const validationOptions = struct<{
  stackTopItemsSize: number
  ignoredOpcodes: readonly number[]
  withLog: boolean
}>('native.erc7562TracerConfig', {
  stackTopItemsSize: integer('stackTopItemsSize'),
  ignoredOpcodes: (target, raw, state) => {
    const codes = state.slice(raw, '[]hexutil.Uint64', decodeUint64)
    // geth keeps the lowest byte.
    target.ignoredOpcodes = codes?.map((code) => Number(code & 0xffn))
  },
  withLog: flag('withLog'),
})

function plain(name: '4byteTracer' | 'keccak256PreimageTracer' | 'noopTracer'): [string, OptionsDecoder] {
  return [name, () => ({ name })]
}

const tracers: ReadonlyMap<string, OptionsDecoder> = new Map<string, OptionsDecoder>([
  ['callTracer', (config) => ({ name: 'callTracer', options: callOptions(config) })],
  ['flatCallTracer', (config) => ({ name: 'flatCallTracer', options: flatOptions(config) })],
  [
    'prestateTracer',
    (config) => {
      const options = prestateOptions(config)
      if (options.diffMode && options.includeEmpty) return invalid('cannot use diffMode with includeEmpty')
      return { name: 'prestateTracer', options }
    },
  ],
  ['erc7562Tracer', (config) => ({ name: 'erc7562Tracer', options: validationOptions(config) })],
  plain('4byteTracer'),
  plain('keccak256PreimageTracer'),
  plain('noopTracer'),
  ['muxTracer', muxTracer],
])

/** Tracers that geth has as scripts. */
const scriptNames: ReadonlySet<string> = new Set([
  ...['bigramTracer', 'evmdisTracer', 'opcountTracer', 'trigramTracer', 'unigramTracer'],
  ...['4byteTracerLegacy', 'callTracerLegacy', 'noopTracerLegacy', 'prestateTracerLegacy'],
])

/** How many muxTracers may be inside of one another. Each can hold every tracer once, so that one request has at most 57. */
const mostNested = 8

function namedTracer(name: string, config: string, depth = 0): TracerSpec {
  const decode = tracers.get(name)
  if (decode === undefined) return unknownTracer(name)
  try {
    return decode(config, depth)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return invalid(error.message)
  }
}

function muxTracer(config: string, depth: number): TracerSpec {
  if (depth === mostNested)
    throw new DecodeError(`more than ${mostNested} tracers muxTracer inside of one another`)
  const byName = new Map<string, string>()
  unmarshal((state) =>
    state.map(config, 'map[string]json.RawMessage', (name, value) => {
      byName.set(unquoteStart(name, longestTracer), value)
    }),
  )
  const specs = [...byName].map(([name, value]) => [name, namedTracer(name, value, depth + 1)] as const)
  const wrong = specs.find(([, spec]) => spec.name === 'invalid')?.[1]
  return wrong ? ({ ...wrong, isScript: false } as TracerSpec) : { name: 'muxTracer', tracers: specs }
}

function invalid(message: string, isScript = false): TracerSpec {
  return { name: 'invalid', message, isScript }
}

/** geth takes any other name for a script in JavaScript. Names that mean nothing get its answer; scripts are refused. */
function unknownTracer(name: string): TracerSpec {
  if (name === '') return invalid('SyntaxError: SyntaxError: (anonymous): Line 1:3 Unexpected token )')
  if (!scriptNames.has(name) && /^[A-Za-z_$][\w$]*$/.test(name)) {
    return invalid(`ReferenceError: ${name} is not defined at <eval>:1:2(0)`, true)
  }
  return invalid('tracers in JavaScript are not supported, only those that geth has built in', true)
}
