// The accounts and slots of eth_getStorageValues: an object of lists by address.
import { bytesToHex } from '../../bytes.js'
import type { SlotsOfAccount } from '../../state/read-slots.js'
import { executionErrors } from '../error-table.js'
import { JsonRpcError } from '../json-rpc-error.js'
import { decodeAddress, decodeHash } from './hex.js'
import { unmarshal } from './unmarshal.js'

/** Slots of accounts. */
type StorageRequest = ReadonlyMap<string, SlotsOfAccount>

/** Slots that one request may ask for, as in geth. */
const mostSlots = 1_024

/** Accounts and slots that are decoded; geth decodes all before it finds that there are too many. */
const mostDecoded = 8_192

/** geth's clientLimitExceededError. */
function tooManySlots(): JsonRpcError {
  return new JsonRpcError(executionErrors.limitExceeded.code, `too many slots (max ${mostSlots})`)
}

/** By address in hex. Of several spellings of one address the last one counts. */
export function decodeStorageRequest(raw: string): StorageRequest {
  const request = new Map<string, SlotsOfAccount>()
  let decoded = 0
  unmarshal((state) => {
    state.map(raw, 'map[common.Address][]common.Hash', (name, value) => {
      const slots = state.slice(value, '[]common.Hash', decodeHash, mostDecoded) ?? []
      decoded += 1 + slots.length
      if (decoded > mostDecoded) throw tooManySlots()
      const address = decodeAddress(name)
      request.set(bytesToHex(address), { address, slots })
    })
  })
  return request
}

/** Number of slots. Throws for too many. */
export function countSlots(request: StorageRequest): number {
  let count = 0
  for (const { slots } of request.values()) count += slots.length
  if (count > mostSlots) throw tooManySlots()
  return count
}
