// An access list as eth_createAccessList answers it. Follows accessListResult in geth's internal/ethapi/api.go.
import { bytesToHex, quantity } from '../../bytes.js'
import type { AccessListResult } from '../../evm/engine.js'
import { listOf, object, schemaOf } from '../schemas.js'

export const accessListSchema = object(
  'Access list of a call, its gas with it, and why it fails',
  { accessList: listOf('AccessListEntry'), gasUsed: schemaOf('Quantity') },
  { error: schemaOf('Text') },
)

/** JSON text in geth's order of keys. */
export function encodeAccessList({ accessList, gasUsed, error }: AccessListResult): string {
  const entries = accessList.map(({ address, storageKeys }) => ({
    address: bytesToHex(address),
    storageKeys: storageKeys.map(bytesToHex),
  }))
  return JSON.stringify({
    accessList: entries,
    ...(error !== undefined && { error }),
    gasUsed: quantity(gasUsed),
  })
}
