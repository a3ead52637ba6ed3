// The call object of eth_call. Decodes only; fees, chain id and gas are checked in evm/.
// Follows TransactionArgs in geth's internal/ethapi/transaction_args.go.
import { equalBytes } from '../../bytes.js'
import type { CallArguments } from '../../evm/engine.js'
import type { AccessListEntry, Authorization } from '../../types/transaction.js'
import {
  decodeAddress,
  decodeBig,
  decodeBytes,
  decodeFixedBytes,
  decodeHash,
  decodeU256,
  decodeUint64,
} from './hex.js'
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

type CallDraft = Draft<CallArguments> & { data?: Uint8Array | undefined }

function ignoredList(goType: string, length: number): FieldDecoder<unknown> {
  return (_target, raw, state) => {
    state.slice(raw, `[]${goType}`, (element) => decodeFixedBytes(element, goType, length))
  }
}

const ignoredBlobs = ignoredList('kzg4844.Blob', 131_072)

const callType = structType<CallDraft>('ethapi.TransactionArgs', {
  from: optionalField('from', decodeAddress),
  to: optionalField('to', decodeAddress),
  gas: optionalField('gas', decodeUint64),
  gasPrice: optionalField('gasPrice', decodeBig),
  maxFeePerGas: optionalField('maxFeePerGas', decodeBig),
  maxPriorityFeePerGas: optionalField('maxPriorityFeePerGas', decodeBig),
  value: optionalField('value', decodeBig),
  nonce: optionalField('nonce', decodeUint64),
  data: optionalField('data', decodeBytes),
  input: optionalField('input', decodeBytes),
  accessList: (target, raw, state) => {
    target.accessList = state.slice(raw, 'types.AccessList', decodeAccessTuple)
  },
  chainId: optionalField('chainId', decodeBig),
  maxFeePerBlobGas: optionalField('maxFeePerBlobGas', decodeBig),
  blobVersionedHashes: (target, raw, state) => {
    target.blobVersionedHashes = state.slice(raw, '[]common.Hash', decodeHash)
  },
  blobs: (target, raw, state) => {
    target.hasBlobs = raw === 'null' ? undefined : true
    ignoredBlobs(target, raw, state)
  },
  commitments: ignoredList('kzg4844.Commitment', 48),
  proofs: ignoredList('kzg4844.Proof', 48),
  authorizationList: (target, raw, state) => {
    target.authorizationList = state.slice(raw, '[]types.SetCodeAuthorization', decodeAuthorization)
  },
})

const accessTupleType = structType<Draft<AccessListEntry>>('types.AccessTuple', {
  address: optionalField('address', decodeAddress),
  storageKeys: (target, raw, state) => {
    target.storageKeys = state.slice(raw, '[]common.Hash', decodeHash)
  },
})

const authorizationType = structType<AuthorizationDraft>('types.SetCodeAuthorization', {
  chainId: optionalField('chainId', decodeU256),
  address: optionalField('address', decodeAddress),
  nonce: optionalField('nonce', decodeUint64),
  yParity: optionalField('yParity', decodeUint64),
  r: optionalField('r', decodeU256),
  s: optionalField('s', decodeU256),
})

type AuthorizationDraft = Draft<Omit<Authorization, 'yParity'> & { readonly yParity: bigint }>

function required<T>(value: T | undefined, field: string, type: string): T {
  if (value === undefined) throw new DecodeError(`missing required field '${field}' for ${type}`)
  return value
}

function decodeAccessTuple(raw: string): AccessListEntry {
  const entry: Draft<AccessListEntry> = {}
  unmarshal((state) => state.struct(raw, accessTupleType, entry))
  return {
    address: required(entry.address, 'address', 'AccessTuple'),
    storageKeys: required(entry.storageKeys, 'storageKeys', 'AccessTuple'),
  }
}

function decodeAuthorization(raw: string): Authorization {
  const draft: AuthorizationDraft = {}
  unmarshal((state) => state.struct(raw, authorizationType, draft))
  const type = 'SetCodeAuthorization'
  return {
    chainId: required(draft.chainId, 'chainId', type),
    address: required(draft.address, 'address', type),
    nonce: required(draft.nonce, 'nonce', type),
    // geth keeps the lowest byte.
    yParity: Number(required(draft.yParity, 'yParity', type) & 0xffn),
    r: required(draft.r, 'r', type),
    s: required(draft.s, 's', type),
  }
}

/**
 * ethapi.TransactionArgs; `null` is the empty call. `input` wins over `data`. `state` is that of the value around it, if there is
 * one.
 */
export function decodeCallArguments(raw: string, state?: UnmarshalState): CallArguments {
  if (state === undefined) return unmarshal((own) => decodeCallArguments(raw, own))
  const draft: CallDraft = {}
  state.struct(raw, callType, draft)
  const { data, input = data } = draft
  if (data && input && !equalBytes(data, input)) draft.hasUnequalData = true
  draft.input = input
  draft.data = undefined
  return present(draft)
}
