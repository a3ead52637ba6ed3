// The logs of a simulated call, transfers of ether included if they are asked for. Follows internal/ethapi/logtracer.go.
import { bigIntToBytes, hexToBytes } from '../../bytes.js'
import type { StoredLog } from '../../types/receipt.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import { type EnteredFrame, frameOpcodes, type Tracer } from '../interpreter/tracer.js'

/** A log with its index in the block, counting also those that were reverted. */
export interface NumberedLog extends StoredLog {
  readonly index: number
}

/** keccak256 of `Transfer(address,address,uint256)`. */
const transferTopic = hexToBytes('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
/** The address that stands for ether (ERC-7528). */
const etherAddress = hexToBytes('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')

/** Collects the logs of the calls of one block, one call after the other. */
export class CallLogs implements Tracer {
  readonly #showsTransfers: boolean
  #open: NumberedLog[][] = []
  #found: readonly NumberedLog[] = []
  #count = 0

  constructor(showsTransfers: boolean) {
    this.#showsTransfers = showsTransfers
  }

  /** The logs of the last call; none if it failed. */
  get found(): readonly NumberedLog[] {
    return this.#found
  }

  start(): void {
    this.#open = []
    this.#found = []
  }

  enter({ opcode, from, to, value }: EnteredFrame): void {
    this.#open.push([])
    const transfers = opcode !== frameOpcodes.delegateCall && opcode !== frameOpcodes.callCode
    if (!this.#showsTransfers || !transfers || value === undefined || value === 0n) return
    const topics = [transferTopic, word(from), word(to)]
    this.log({ address: etherAddress, topics, data: bigIntToBytes(value, 32) })
  }

  exit(_outcome: FrameOutcome, isReverted: boolean): void {
    const own = this.#open.pop()!
    const logs = isReverted ? [] : own
    const opener = this.#open.at(-1)
    if (opener === undefined) this.#found = logs
    else opener.push(...logs)
  }

  log(log: StoredLog): void {
    this.#open.at(-1)!.push({ ...log, index: this.#count++ })
  }
}

function word(address: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(32)
  bytes.set(address, 12)
  return bytes
}
