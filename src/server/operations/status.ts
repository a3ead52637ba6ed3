// What /ready reports: which chain this is, how far it goes, and what can be answered from where to where. Holds no path,
// no key and nothing of any request.
import { bytesToHex, type Hex } from '../../bytes.js'
import type { ChainView } from '../../datadir/chain-view.js'
import type { Datadir } from '../../datadir/datadir.js'
import { clientVersion } from '../../rpc/client-version.js'
import type { BlockRange } from '../../view/available-states.js'
import type { DatadirInfo } from '../../view/datadir-info.js'

/** A range of blocks, both ends included. */
interface RangeStatus {
  readonly fromBlock: number
  readonly toBlock: number
}

/** Threads of a service. */
export interface ThreadStatus {
  readonly wanted: number
  readonly serving: number
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
  /** Block numbers; null if the directory records none. */
  readonly safe: number | null
  readonly finalized: number | null
  /** The reader of the key-value store. */
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
  /** Absent if the service has one thread. */
  readonly threads?: ThreadStatus
}

/** What stays the same for a while. */
type FixedStatus = Omit<Status, 'ready' | 'head' | 'lagSeconds' | 'safe' | 'finalized'>

/** A worker may take seconds to find out what is available, so it is asked for at most this often. */
const rangesMilliseconds = 30_000

/** Reads the status of a directory. */
export class StatusReader {
  readonly #datadir: Datadir
  #fixed: Promise<FixedStatus> | undefined
  #fixedAt = 0
  #isReading = false

  constructor(datadir: Datadir) {
    this.#datadir = datadir
  }

  /** The head block. Throws what reading throws. */
  head(): Status['head'] {
    using view = this.#datadir.view()
    return headOf(view)
  }

  /** What is available may be of a minute ago: only the first request waits for it. Throws what reading throws. */
  async read(ready: boolean): Promise<Status> {
    const fixed = await this.#readFixed()
    using view = this.#datadir.view()
    const head = headOf(view)
    return {
      ready,
      ...fixed,
      head,
      lagSeconds: lagSeconds(head.timestamp),
      safe: view.chain.tagNumber('safe') ?? null,
      finalized: view.chain.tagNumber('finalized') ?? null,
    }
  }

  #readFixed(): Promise<FixedStatus> {
    const isOld = performance.now() - this.#fixedAt >= rangesMilliseconds
    if (this.#isReading || (this.#fixed !== undefined && !isOld)) return this.#fixed!
    this.#isReading = true
    const reading = this.#datadir.info().then(fixedStatus)
    this.#fixed ??= reading
    const finish = (fixed: Promise<FixedStatus> | undefined) => {
      this.#isReading = false
      this.#fixedAt = performance.now()
      this.#fixed = fixed
    }
    reading.then(
      () => finish(reading),
      () => finish(undefined),
    )
    return this.#fixed
  }
}

function fixedStatus({
  chainId,
  keyValueStore,
  stateScheme,
  available,
  logIndex: { filterMaps, bloomBits },
}: DatadirInfo): FixedStatus {
  return {
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
}

/** Age of a block of a time in seconds since 1970; 0 if it is in the future. */
export function lagSeconds(timestamp: number): number {
  return Math.max(0, Math.floor(Date.now() / 1_000) - timestamp)
}

function headOf(view: ChainView): Status['head'] {
  const { header, hash } = view.chain.head()
  return { number: header.number, hash: bytesToHex(hash), timestamp: Number(header.timestamp) }
}

function rangeOf({ fromBlock, toBlock }: BlockRange): RangeStatus {
  return { fromBlock: Number(fromBlock), toBlock: Number(toBlock) }
}

function rangeOrNull(range: BlockRange | undefined): RangeStatus | null {
  return range === undefined ? null : rangeOf(range)
}
