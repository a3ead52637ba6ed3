// Reads accounts, slots, code and proofs after a block.
import { bytesToHex, type Hex } from '../bytes.js'
import { list, optionalSignal } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import type { Account } from '../types/account.js'
import { addressMembers, blockMembers, checkArguments } from './members.js'
import { fixedBytes, slotBytes } from './parameters.js'
import { existingHeader } from './select-block.js'
import type { AccountProof, BlockParameters } from './types.js'
import { toProof } from './viem-format.js'

type AddressParameters = { readonly address: Hex } & BlockParameters

interface ReadOptions {
  readonly signal?: AbortSignal
}

async function readAccount(datadir: Datadir, parameters: AddressParameters): Promise<Account | undefined> {
  checkArguments([parameters, addressMembers])
  const address = fixedBytes('address', parameters.address, 20)
  return datadir.ask(async (view) => view.stateAt(existingHeader(view, parameters)).account(address))
}

/** Balance in wei; 0 for an absent account. */
export async function getBalance(datadir: Datadir, parameters: AddressParameters): Promise<bigint> {
  return (await readAccount(datadir, parameters))?.balance ?? 0n
}

/** Nonce; 0 for an absent account. */
export async function getTransactionCount(datadir: Datadir, parameters: AddressParameters): Promise<number> {
  return Number((await readAccount(datadir, parameters))?.nonce ?? 0n)
}

/** Code; undefined if there is none. */
export async function getCode(datadir: Datadir, parameters: AddressParameters): Promise<Hex | undefined> {
  checkArguments([parameters, addressMembers])
  return datadir.ask(async (view) => {
    const key = fixedBytes('address', parameters.address, 20)
    const state = view.stateAt(existingHeader(view, parameters))
    const account = state.account(key)
    const code = account && state.code(account.codeHash)
    return code?.length ? bytesToHex(code) : undefined
  })
}

/** Value of a slot: 32 bytes, zeros if it is not set. */
export async function getStorageAt(
  datadir: Datadir,
  parameters: AddressParameters & { readonly slot: Hex },
): Promise<Hex> {
  checkArguments([parameters, { ...addressMembers, slot: true }])
  const { address, slot } = parameters
  return datadir.ask(async (view) => {
    const account = fixedBytes('address', address, 20)
    return bytesToHex(
      view.stateAt(existingHeader(view, parameters)).storage(account, slotBytes('slot', slot)),
    )
  })
}

/** Values of slots of several accounts, in order. */
export async function getStorageValues(
  datadir: Datadir,
  parameters: {
    readonly requests: readonly { readonly address: Hex; readonly slots: readonly Hex[] }[]
  } & BlockParameters,
  options: ReadOptions,
): Promise<Hex[][]> {
  checkArguments([parameters, { ...blockMembers, requests: true }], [options, { signal: true }])
  const signal = optionalSignal('signal', options.signal)
  const accounts = list('requests', parameters.requests, (name, { address, slots }) => ({
    address: fixedBytes(`${name}.address`, address, 20),
    slots: list(`${name}.slots`, slots, slotBytes),
  }))
  return datadir.ask(async (view) => {
    const { header } = existingHeader(view, parameters)
    const words = await view.run('readSlots', { header, accounts }, { signal })
    return words.map((values) => values.map(bytesToHex))
  })
}

/** Proofs of an account and of its slots. */
export async function getProof(
  datadir: Datadir,
  parameters: AddressParameters & { readonly storageKeys?: readonly Hex[] },
  options: ReadOptions,
): Promise<AccountProof> {
  checkArguments([parameters, { ...addressMembers, storageKeys: true }], [options, { signal: true }])
  const { storageKeys = [] } = parameters
  const signal = optionalSignal('signal', options.signal)
  const address = fixedBytes('address', parameters.address, 20)
  const slots = storageKeys.map((key, i) => slotBytes(`storageKeys[${i}]`, key))
  return datadir.ask(async (view) => {
    const { header } = existingHeader(view, parameters)
    const proof = await view.run('prove', { header, address, slots }, { signal })
    return toProof(address, storageKeys, proof)
  })
}
