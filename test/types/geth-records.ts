// Records that geth 1.17.5 stored and what it answered about them, taken from one chain over all forks.
import { readFileSync } from 'node:fs'
import { hexToBytes } from '../../src/bytes.js'
import { type ChainConfig, parseChainConfig } from '../../src/types/chain-config.js'

interface RecordedTransaction {
  readonly kind: string
  readonly envelope: string
  readonly baseFeePerGas: string
  readonly answer: Record<string, unknown>
}

interface RecordedBlock {
  readonly header: string
  readonly body: string
  readonly receipts: string
  /** Answer of eth_getBlockByNumber with full transactions. */
  readonly block: Record<string, unknown> & { readonly transactions: readonly Record<string, unknown>[] }
  readonly blockReceipts: readonly Record<string, unknown>[]
}

const file = new URL('geth-records.json', import.meta.url)

/** One transaction of each kind, and four blocks: state-root receipts, uncle, logs, blobs with authorizations. */
export const gethRecords: {
  readonly transactions: readonly RecordedTransaction[]
  readonly blocks: readonly RecordedBlock[]
} = JSON.parse(readFileSync(file, 'utf8'))

/** Envelope of the recorded transaction of a kind. */
export function recordedEnvelope(kind: string): Uint8Array {
  const transaction = gethRecords.transactions.find((recorded) => recorded.kind === kind)
  if (transaction === undefined) throw new Error(`no recorded transaction of kind ${kind}`)
  return hexToBytes(transaction.envelope)
}

/** The stored config of that chain. */
export const recordedConfigJson =
  '{"chainId":1337,"homesteadBlock":8,"eip150Block":16,"eip155Block":24,"eip158Block":24,"byzantiumBlock":40,"constantinopleBlock":56,"petersburgBlock":56,"istanbulBlock":70,"muirGlacierBlock":72,"berlinBlock":85,"londonBlock":100,"arrowGlacierBlock":104,"grayGlacierBlock":106,"mergeNetsplitBlock":130,"shanghaiTime":1700002000,"cancunTime":1700002900,"pragueTime":1700004000,"osakaTime":1700005400,"bpo1Time":1700006200,"bpo2Time":1700006800,"terminalTotalDifficulty":17113664,"depositContractAddress":"0x00000000219ab540356cbb839cbe05303d7705fa","ethash":{},"blobSchedule":{"cancun":{"target":3,"max":6,"baseFeeUpdateFraction":3338477},"prague":{"target":6,"max":9,"baseFeeUpdateFraction":5007716},"bpo1":{"target":10,"max":15,"baseFeeUpdateFraction":8346193},"bpo2":{"target":14,"max":21,"baseFeeUpdateFraction":11684671}}}'

export const recordedConfig: ChainConfig = parseChainConfig(recordedConfigJson)
