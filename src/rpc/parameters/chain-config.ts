// The rules of other forks in the config of a trace: params.ChainConfig. geth decodes them and does not use them; what is wrong with
// them is said as geth says it.
import { quoteAsGo } from '../go-quote.js'
import { decodeAddress } from './hex.js'
import { decodeInt, decodeUint64Number } from './number.js'
import {
  DecodeError,
  decodeBoolean,
  type FieldDecoder,
  MismatchError,
  structType,
  type UnmarshalState,
} from './unmarshal.js'

/** A field of which the value is checked and left out. */
type Check = FieldDecoder<unknown>

/** A field of one of Go's own types: a mismatch is remembered, and decoding continues. */
function ofGo(decode: (raw: string) => unknown): Check {
  return (_target, raw, state) => {
    try {
      decode(raw)
    } catch (error) {
      if (!(error instanceof MismatchError)) throw error
      state.save(error)
    }
  }
}

const bool = ofGo(decodeBoolean)
const int = ofGo(decodeInt)
const uint64 = ofGo(decodeUint64Number)

/** math/big.Int: a JSON number without fraction and exponent. */
const bigInt: Check = (_target, raw) => {
  if (raw === 'null' || /^-?\d+$/.test(raw)) return
  throw new DecodeError(`math/big: cannot unmarshal ${quoteAsGo(raw)} into a *big.Int`)
}

const address: Check = (_target, raw) => {
  decodeAddress(raw)
}

function object(goType: string, fields: Readonly<Record<string, Check>>): Check {
  const type = structType<unknown>(goType, fields)
  return (target, raw, state) => state.struct(raw, type, target)
}

function fields(names: readonly string[], check: Check): Record<string, Check> {
  return Object.fromEntries(names.map((name) => [name, check]))
}

const forksByNumber = [
  ...['homestead', 'daoFork', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'],
  ...['istanbul', 'muirGlacier', 'berlin', 'london', 'arrowGlacier', 'grayGlacier', 'mergeNetsplit'],
]
const blobForks = ['bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5']
const forksByTime = ['shanghai', 'cancun', 'prague', 'osaka', ...blobForks, 'amsterdam', 'bogota', 'ubt']

const blobConfig = object('params.BlobConfig', { target: int, max: int, baseFeeUpdateFraction: uint64 })

const chainConfig = object('params.ChainConfig', {
  chainId: bigInt,
  ...fields(
    forksByNumber.map((fork) => `${fork}Block`),
    bigInt,
  ),
  daoForkSupport: bool,
  ...fields(
    forksByTime.map((fork) => `${fork}Time`),
    uint64,
  ),
  terminalTotalDifficulty: bigInt,
  depositContractAddress: address,
  enableUBTAtGenesis: bool,
  ethash: object('params.EthashConfig', {}),
  clique: object('params.CliqueConfig', { period: uint64, epoch: uint64 }),
  blobSchedule: object('params.BlobScheduleConfig', fields(['cancun', 'prague', ...blobForks], blobConfig)),
})

/** Throws, or remembers, what is wrong with a config of forks. */
export function checkChainConfig(raw: string, state: UnmarshalState): void {
  chainConfig({}, raw, state)
}
