// Turns the tracers that a program names into what the EVM runs. Wrong options throw TypeError or RangeError.
import { boolean, checkMembers, describe, integer, list, type Members, oneOf, position } from '../check.js'
import type {
  FlatTraceOptions,
  PrestateOptions,
  StructLogOptions,
  TraceOptions,
  TracerSpec,
  ValidationTraceOptions,
} from '../evm/engine.js'
import type { TracerChoice, TracerName } from './trace-results.js'

export const tracerMembers: Members<TracerChoice> = { tracer: true, tracerConfig: true }

/** Makes the spec of a tracer from its options, which are an object; `name` is that of the options. */
type SpecMaker = (name: string, config: object) => TracerSpec

/** Options that are all flags. */
function flags<Options extends object>(members: Members<Options>): (name: string, config: object) => Options {
  return (name, config) => {
    checkMembers(name, config, members)
    for (const [member, value] of Object.entries(config)) {
      if (value !== undefined) boolean(`${name}.${member}`, value)
    }
    return config as Options
  }
}

const callOptions = flags<TraceOptions>({ onlyTopCall: true, withLog: true })
const flatOptions = flags<FlatTraceOptions>({ convertParityErrors: true, includePrecompiles: true })
const prestateOptions = flags<PrestateOptions>({
  diffMode: true,
  disableCode: true,
  disableStorage: true,
  includeEmpty: true,
})
const structLogFlags = flags<Omit<StructLogOptions, 'limit'>>({
  enableMemory: true,
  disableStack: true,
  disableStorage: true,
  enableReturnData: true,
})

const validationMembers: Members<ValidationTraceOptions> = {
  stackTopItemsSize: true,
  ignoredOpcodes: true,
  withLog: true,
}

function plain(tracer: '4byteTracer' | 'keccak256PreimageTracer' | 'noopTracer'): SpecMaker {
  return (name, config) => {
    checkMembers(name, config, {})
    return { name: tracer }
  }
}

const specMakers: Readonly<Record<TracerName, SpecMaker>> = {
  callTracer: (name, config) => ({ name: 'callTracer', options: callOptions(name, config) }),
  flatCallTracer: (name, config) => ({ name: 'flatCallTracer', options: flatOptions(name, config) }),
  prestateTracer: (name, config) => {
    const options = prestateOptions(name, config)
    if (options.diffMode && options.includeEmpty) {
      throw new TypeError(`${name}: includeEmpty cannot be used with diffMode`)
    }
    return { name: 'prestateTracer', options }
  },
  structLogger: (name, config: StructLogOptions) => {
    const { limit, ...rest } = config
    if (limit !== undefined) position(`${name}.limit`, limit)
    return {
      name: 'structLogger',
      options: { ...structLogFlags(name, rest), ...(limit !== undefined && { limit }) },
    }
  },
  erc7562Tracer: (name, config: ValidationTraceOptions) => {
    checkMembers(name, config, validationMembers)
    const { stackTopItemsSize, ignoredOpcodes, withLog } = config
    if (stackTopItemsSize !== undefined) position(`${name}.stackTopItemsSize`, stackTopItemsSize)
    if (withLog !== undefined) boolean(`${name}.withLog`, withLog)
    if (ignoredOpcodes !== undefined) {
      list(`${name}.ignoredOpcodes`, ignoredOpcodes, (at, opcode) =>
        integer(at, opcode, { from: 0, to: 255 }),
      )
    }
    return { name: 'erc7562Tracer', options: config }
  },
  '4byteTracer': plain('4byteTracer'),
  keccak256PreimageTracer: plain('keccak256PreimageTracer'),
  noopTracer: plain('noopTracer'),
}

const tracerNames = Object.keys(specMakers) as readonly TracerName[]

/** The tracer that the options of a trace name; default `callTracer`. */
export function tracerSpec({ tracer = 'callTracer', tracerConfig = {} }: TracerChoice): TracerSpec {
  if (oneOf('tracer', tracer, [...tracerNames, 'muxTracer']) === 'muxTracer') {
    return tracerSetSpec('tracerConfig', tracerConfig)
  }
  return specMakers[tracer as TracerName]('tracerConfig', checkedObject('tracerConfig', tracerConfig))
}

/** Several tracers, by name with their options, at least one. */
export function tracerSetSpec(name: string, tracers: unknown): TracerSpec {
  const entries = Object.entries(checkedObject(name, tracers)).filter(([, config]) => config !== undefined)
  if (entries.length === 0) throw new TypeError(`${name}: expected at least one tracer`)
  return {
    name: 'muxTracer',
    tracers: entries.map(([key, config]) => {
      const tracer = oneOf(name, key, tracerNames)
      return [tracer, specMakers[tracer](`${name}.${tracer}`, checkedObject(`${name}.${tracer}`, config))]
    }),
  }
}

function checkedObject(name: string, value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new TypeError(`${name}: expected an object, got ${describe(value)}`)
}
