// Requests that a block makes of the consensus layer, and their hash. Follows PostExecution and ParseDepositLogs of
// core/state_processor.go, DepositLogToRequest of core/types/deposit.go and CalcRequestsHash (EIP-7685).
import { createHash } from 'node:crypto'
import { concatBytes, equalBytes, hexToBytes } from '../../bytes.js'
import type { ChainConfig } from '../../types/chain-config.js'
import type { StoredLog } from '../../types/receipt.js'
import { rejectedArguments } from '../call-errors.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import type { QueueOutcomes } from './system-calls.js'

const depositTopic = hexToBytes('649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
const depositLength = 576
/** Where the fields of a deposit stand in the data of its log: public key, credentials, amount, signature and index. */
const depositFields: readonly (readonly [start: number, length: number])[] = [
  [192, 48],
  [288, 32],
  [352, 8],
  [416, 96],
  [544, 8],
]

/** The hash of the requests of a block. Throws CALL_REJECTED with geth's text if one cannot be read. */
export function requestsHash(
  logs: readonly StoredLog[],
  { withdrawals, consolidations }: QueueOutcomes,
  { depositContractAddress = new Uint8Array(20) }: ChainConfig,
): Uint8Array {
  const deposits = logs
    .filter(({ address, topics: [topic] }) => {
      return (
        equalBytes(address, depositContractAddress) && topic !== undefined && equalBytes(topic, depositTopic)
      )
    })
    .map(({ data }) => depositRequest(data))
  const requests = [
    concatBytes(...deposits),
    queueOutput('withdrawal', withdrawals),
    queueOutput('consolidation', consolidations),
  ]
  const whole = createHash('sha256')
  for (const [type, data] of requests.entries()) {
    if (data.length > 0) whole.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  return new Uint8Array(whole.digest())
}

function depositRequest(data: Uint8Array): Uint8Array {
  if (data.length !== depositLength) {
    const problem = `deposit wrong length: want ${depositLength}, have ${data.length}`
    throw rejectedArguments(`failed to parse deposit logs: unable to parse deposit data: ${problem}`)
  }
  return concatBytes(...depositFields.map(([start, length]) => data.subarray(start, start + length)))
}

function queueOutput(name: string, { output, error }: FrameOutcome): Uint8Array {
  if (error === undefined) return output
  const problem = `system call failed to execute: ${error.message}`
  throw rejectedArguments(`failed to process ${name} queue: ${problem}`)
}
