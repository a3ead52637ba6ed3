// What /ready tells: which chain this is, how far it goes, and what can be answered from where to where. Holds no path,
// no key and nothing of any request.
import { bytesToHex, type Hex } from '../../bytes.js'
import type { BlockRange } from '../../datadir/available-states.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { Datadir } from '../../datadir/datadir.js'
import { clientVersion } from '../client-version.js'

/** A range of blocks, both ends included. */
export interface RangeStatus {
  readonly from: number
  readonly to: number
}

/** The body of /ready. */
export interface Status {
  readonly ready: boolean
  readonly version: string
  readonly chainId: number
  readonly head: {
    readonly number: number
    readonly hash: Hex
    /** Seconds since 1970. */
    readonly timestamp: number
  }
  /** Age of the head block. */
  readonly lagSeconds: number
  /** Block numbers; null where the directory records none. */
  readonly safe: number | null
  readonly finalized: number | null
  /** Who reads the key-value store. */
  readonly engine: string
  /** Null where the directory holds no state. */
  readonly stateScheme: string | null
  readonly available: {
    readonly headers: RangeStatus
    readonly bodies: RangeStatus
    readonly receipts: RangeStatus
    /** Blocks whose transactions are found by hash. */
    readonly transactionIndex: RangeStatus | null
    /** Newest first. */
    readonly states: readonly RangeStatus[]
    /** Blocks that an index of logs covers; others are scanned. */
    readonly logIndex: RangeStatus | null
  }
}

/** What stays the same for a while. */
type FixedStatus = Omit<Status, 'ready' | 'head' | 'lagSeconds' | 'safe' | 'finalized'>

/** Finding out what is available takes up to a tenth of a second, so it is looked at this often at the most. */
const rangesMilliseconds = 30_000

/** Reads the status of a directory. */
export class StatusReader {
  readonly #datadir: Datadir
  #fixed: FixedStatus | undefined
  #fixedAt = 0

  constructor(datadir: Datadir) {
    this.#datadir = datadir
  }

  /** The head block. Throws what reading throws. */
  head(): Status['head'] {
    using view = this.#datadir.view()
    return headOf(view)
  }

  /** Throws what reading throws. */
  read(ready: boolean): Status {
    using view = this.#datadir.view()
    const head = headOf(view)
    return {
      ready,
      ...this.#readFixed(),
      head,
      lagSeconds: lagSeconds(head.timestamp),
      safe: view.tagNumber('safe') ?? null,
      finalized: view.tagNumber('finalized') ?? null,
    }
  }

  #readFixed(): FixedStatus {
    const now = performance.now()
    if (this.#fixed !== undefined && now - this.#fixedAt < rangesMilliseconds) return this.#fixed
    const { chainId, keyValueStore, stateScheme, available, logIndex } = this.#datadir.info
    const { filterMaps, bloomBits } = logIndex
    this.#fixed = {
      version: clientVersion(),
      chainId: Number(chainId),
      engine: keyValueStore.engine,
      stateScheme: stateScheme ?? null,
      available: {
        headers: rangeOf(available.headers),
        bodies: rangeOf(available.bodies),
        receipts: rangeOf(available.receipts),
        transactionIndex: rangeOrNull(available.transactionIndex),
        states: available.states.map(rangeOf),
        logIndex: rangeOrNull(filterMaps ?? bloomBits),
      },
    }
    this.#fixedAt = performance.now()
    return this.#fixed
  }
}

/** Age of a block of a time in seconds since 1970; 0 where it is in the future. */
export function lagSeconds(timestamp: number): number {
  return Math.max(0, Math.floor(Date.now() / 1_000) - timestamp)
}

function headOf(view: ChainView): Status['head'] {
  const { header, hash } = view.head()
  return { number: header.number, hash: bytesToHex(hash), timestamp: Number(header.timestamp) }
}

function rangeOf({ from, to }: BlockRange): RangeStatus {
  return { from: Number(from), to: Number(to) }
}

function rangeOrNull(range: BlockRange | undefined): RangeStatus | null {
  return range === undefined ? null : rangeOf(range)
}
