// Accounts of a state as JSON, keys in declaration order, accounts and slots in that of their names. Follows DumpAccount in
// geth's core/state/dump.go.
import { bytesToBigInt, bytesToHex } from '../../bytes.js'
import { checksumAddress } from '../../evm/call-errors.js'
import type { DumpedAccount, StateDump } from '../../view/dump-state.js'
import type { NamedSlot } from '../../view/list-state.js'
import { object, orNothing, orNull, schemaOf, text } from '../schemas.js'

const dumpedAccount = object(
  'Account; slots by their preimages',
  {
    balance: schemaOf('Decimal'),
    nonce: { type: 'integer' },
    root: schemaOf('Hash'),
    codeHash: schemaOf('Hash'),
    key: schemaOf('Hash'),
  },
  {
    code: schemaOf('Data'),
    storage: { type: 'object', propertyNames: schemaOf('Hash') },
    address: schemaOf('Address'),
  },
)

export const stateDumpSchema = object(
  'Accounts by address, or by pre(hash) if the address is not known, and the hash to go on with',
  {
    root: text('^[0-9a-f]{64}$', 'State root without prefix'),
    accounts: { type: 'object', additionalProperties: dumpedAccount },
  },
  { next: schemaOf('Hash') },
)

export const storageRangeSchema = object(
  'Slots and their values by the hashes of the slots, and the hash to go on with',
  {
    storage: orNothing({ type: 'object', propertyNames: schemaOf('Hash') }),
    nextKey: orNull('Hash'),
  },
)

/** A part of the state with this root. */
export function stateDumpJson(root: Uint8Array, { accounts, next }: StateDump): string {
  const members = accounts.map((account) => `"${nameOf(account)}":${accountJson(account)}`).sort()
  const end = next === undefined ? '' : `,"next":"${bytesToHex(next)}"`
  return `{"root":"${bytesToHex(root).slice(2)}","accounts":{${members}}${end}}`
}

function nameOf({ address, hash }: DumpedAccount): string {
  return address === undefined ? `pre(${bytesToHex(hash)})` : checksumAddress(address)
}

function accountJson({ hash, address, account, code, slots }: DumpedAccount): string {
  let json = `{"balance":"${account.balance}","nonce":${account.nonce}`
  json += `,"root":"${bytesToHex(account.storageRoot)}","codeHash":"${bytesToHex(account.codeHash)}"`
  if (code.length > 0) json += `,"code":"${bytesToHex(code)}"`
  if (slots.length > 0) {
    const words = slots.map(([slot, value]) => `"${bytesToHex(slot)}":"${shortWord(value)}"`)
    json += `,"storage":{${words.sort()}}`
  }
  if (address !== undefined) json += `,"address":"${bytesToHex(address)}"`
  return `${json},"key":"${bytesToHex(hash)}"}`
}

/** Hex of whole bytes without prefix and without zeros in front. */
function shortWord(value: Uint8Array): string {
  const digits = bytesToBigInt(value).toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

/** The first slots of a listing, and the hash of the next one; undefined for an account without storage. */
export function storageRangeJson(slots: readonly NamedSlot[] | undefined, limit: number): string {
  if (slots === undefined) return '{"storage":null,"nextKey":null}'
  const entries = slots.slice(0, limit).map(({ hash, preimage, value }) => {
    const key = preimage === undefined ? 'null' : `"${bytesToHex(preimage)}"`
    return `"${bytesToHex(hash)}":{"key":${key},"value":"${bytesToHex(value)}"}`
  })
  const next = slots[limit]
  return `{"storage":{${entries}},"nextKey":${next === undefined ? 'null' : `"${bytesToHex(next.hash)}"`}}`
}
