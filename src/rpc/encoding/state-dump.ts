// Parts of a state as JSON: what a dump looks like, which workers write (view/dump-json.ts), and slots of an account.
import { bytesToHex } from '../../bytes.js'
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
