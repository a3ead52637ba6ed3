// Which receipts a subscription is about. Follows TransactionReceiptsQuery in geth's eth/filters/api.go.
import { bytesToHex } from '../../bytes.js'
import { decodeHash } from './hex.js'
import { structType, unmarshal } from './unmarshal.js'

interface RawQuery {
  transactionHashes?: Uint8Array[] | undefined
}

/** Hashes that are decoded: one more than a subscription may have. */
const mostHashes = 201

const queryType = structType<RawQuery>('filters.input', {
  transactionHashes: (target, raw, state) => {
    target.transactionHashes = state.slice(raw, '[]common.Hash', decodeHash, mostHashes)
  },
})

/** Hashes in hex; undefined for all transactions. */
export function decodeReceiptQuery(raw: string): ReadonlySet<string> | undefined {
  const query: RawQuery = {}
  unmarshal((state) => state.struct(raw, queryType, query))
  const { transactionHashes = [] } = query
  return transactionHashes.length === 0 ? undefined : new Set(transactionHashes.map(bytesToHex))
}
