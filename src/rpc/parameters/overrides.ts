// The state and block override arguments of eth_call. Decodes only; they are applied in evm/.
// Follows geth's internal/ethapi/override/override.go.
import { bytesToHex } from '../../bytes.js'
import type { AccountOverride, BlockOverrides, StateOverrides } from '../../evm/engine.js'
import type { Withdrawal } from '../../types/body.js'
import { decodeAddress, decodeBig, decodeBytes, decodeHash, decodeUint64 } from './hex.js'
import {
  DecodeError,
  type Draft,
  type FieldDecoder,
  optionalField,
  present,
  structType,
  type UnmarshalState,
  unmarshal,
} from './unmarshal.js'

type Slots = Map<string, readonly [Uint8Array, Uint8Array]>

type AccountDraft = Draft<Omit<AccountOverride, 'state' | 'stateDiff'>> & {
  state?: Slots | undefined
  stateDiff?: Slots | undefined
}

function slotsField(key: 'state' | 'stateDiff'): FieldDecoder<AccountDraft> {
  return (target, raw, state) => {
    if (raw === 'null') {
      target[key] = undefined
      return
    }
    const slots: Slots = target[key] ?? new Map()
    const isObject = state.map(raw, 'map[common.Hash]common.Hash', (name, value) => {
      // Go decodes the value first and then the name.
      const content = decodeHash(value)
      const slot = decodeHash(name)
      slots.set(bytesToHex(slot), [slot, content])
    })
    if (isObject) target[key] = slots
  }
}

const accountType = structType<AccountDraft>('override.OverrideAccount', {
  nonce: optionalField('nonce', decodeUint64),
  code: optionalField('code', decodeBytes),
  balance: optionalField('balance', decodeBig),
  state: slotsField('state'),
  stateDiff: slotsField('stateDiff'),
  movePrecompileToAddress: optionalField('movePrecompileTo', decodeAddress),
})

function decodeAccount(raw: string, decoding: UnmarshalState): AccountOverride {
  const draft: AccountDraft = {}
  decoding.struct(raw, accountType, draft)
  const { state, stateDiff, ...rest } = draft
  return {
    ...present(rest),
    ...(state !== undefined && { state: [...state.values()] }),
    ...(stateDiff !== undefined && { stateDiff: [...stateDiff.values()] }),
  }
}

/**
 * *override.StateOverride; undefined for `null`. Of several spellings of one address the last one counts. `state` is that of
 * the value around it, if there is one.
 */
export function decodeStateOverrides(raw: string, state?: UnmarshalState): StateOverrides | undefined {
  if (state === undefined) return unmarshal((own) => decodeStateOverrides(raw, own))
  const accounts = new Map<string, readonly [Uint8Array, AccountOverride]>()
  const isObject = state.map(raw, 'override.StateOverride', (name, value) => {
    const account = decodeAccount(value, state)
    const address = decodeAddress(name)
    accounts.set(bytesToHex(address), [address, account])
  })
  return isObject ? [...accounts.values()] : undefined
}

/** Withdrawals of a block; one of the main network has 16. */
const mostWithdrawals = 1_024

type BlockDraft = Draft<BlockOverrides>

// Go has no JSON names for these fields, so its error texts show its own.
const blockType = structType<BlockDraft>('override.BlockOverrides', {
  Number: optionalField('number', decodeBig),
  Difficulty: optionalField('difficulty', decodeBig),
  Time: optionalField('time', decodeUint64),
  GasLimit: optionalField('gasLimit', decodeUint64),
  FeeRecipient: optionalField('feeRecipient', decodeAddress),
  PrevRandao: optionalField('prevRandao', decodeHash),
  BaseFeePerGas: optionalField('baseFeePerGas', decodeBig),
  BlobBaseFee: optionalField('blobBaseFee', decodeBig),
  BeaconRoot: optionalField('beaconRoot', decodeHash),
  Withdrawals: (target, raw, state) => {
    const withdrawals = state.slice(raw, 'types.Withdrawals', decodeWithdrawal, mostWithdrawals + 1)
    if (withdrawals && withdrawals.length > mostWithdrawals)
      throw new DecodeError(`more than ${mostWithdrawals} withdrawals`)
    target.withdrawals = withdrawals
  },
})

const withdrawalType = structType<Draft<Withdrawal>>('types.Withdrawal', {
  index: optionalField('index', decodeUint64),
  validatorIndex: optionalField('validatorIndex', decodeUint64),
  address: optionalField('address', decodeAddress),
  amount: optionalField('amount', decodeUint64),
})

/** Members that are left out are zero. */
function decodeWithdrawal(raw: string): Withdrawal {
  const draft: Draft<Withdrawal> = {}
  unmarshal((state) => state.struct(raw, withdrawalType, draft))
  const { index = 0n, validatorIndex = 0n, address = new Uint8Array(20), amount = 0n } = draft
  return { index, validatorIndex, address, amount }
}

/** *override.BlockOverrides; undefined for `null`. `state` is that of the value around it, if there is one. */
export function decodeBlockOverrides(raw: string, state?: UnmarshalState): BlockOverrides | undefined {
  if (state === undefined) return unmarshal((own) => decodeBlockOverrides(raw, own))
  if (raw === 'null') return undefined
  const draft: BlockDraft = {}
  state.struct(raw, blockType, draft)
  return present(draft)
}
