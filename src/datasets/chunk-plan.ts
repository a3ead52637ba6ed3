// Cuts a range of blocks into chunks. A chunk does not depend on the range: its ends are multiples of the chunk size, except at
// the ends of the range.
import { join } from 'node:path/posix'
import { type FileFormat, fileFormats } from './formats/open-writer.js'

/** Blocks of one file, both ends included. */
export interface Chunk {
  readonly from: number
  readonly to: number
  /** Day of all blocks, YYYY-MM-DD in UTC, if files are in folders of days. */
  readonly date?: string
  /** The blocks after the last whole chunk, whose file is replaced as a whole. */
  readonly isTip?: true
}

const networks: Readonly<Record<string, string>> = {
  1: 'ethereum',
  11155111: 'sepolia',
  17000: 'holesky',
  560048: 'hoodi',
}

/** The chunks of a range, ascending. */
export function planChunks({ from, to }: Chunk, chunkSize: number): Chunk[] {
  const chunks: Chunk[] = []
  for (let start = from; start <= to; ) {
    const end = Math.min(to, start - (start % chunkSize) + chunkSize - 1)
    chunks.push({ from: start, to: end })
    start = end + 1
  }
  return chunks
}

/** Cuts chunks at midnight in UTC. `timestampOf` gives the time of a block in seconds, which rises from block to block. */
export function cutAtMidnight(chunks: readonly Chunk[], timestampOf: (block: number) => number): Chunk[] {
  const dateOf = (block: number) => new Date(1000 * timestampOf(block)).toISOString().slice(0, 10)
  return chunks.flatMap(({ from, to }) => {
    const days: Chunk[] = []
    const lastDate = dateOf(to)
    let start = from
    for (let date = dateOf(start); date !== lastDate; date = dateOf(start)) {
      // `first` is of this day, `next` is not.
      let [first, next] = [start, to]
      while (next - first > 1) {
        const middle = Math.floor((first + next) / 2)
        if (dateOf(middle) === date) first = middle
        else next = middle
      }
      days.push({ from: start, to: first, date })
      start = next
    }
    return [...days, { from: start, to, date: lastDate }]
  })
}

/** Id of a chunk in plans and options. */
export function chunkId({ from, to }: Chunk): string {
  return `${from}_${to}`
}

/** Chunks of one of `count` shards, from 1 on: every `count`-th of them, so that shards have old and new blocks alike. */
export function chunksOfShard(chunks: readonly Chunk[], index: number, count: number): Chunk[] {
  return chunks.filter((_, i) => i % count === index - 1)
}

/** Path of a file inside the output folder. */
export function chunkPath(chainId: bigint, dataset: string, chunk: Chunk, format: FileFormat): string {
  const network = networks[String(chainId)] ?? `network_${chainId}`
  return join(chunkFolder(dataset, chunk.date), `${network}__${dataset}__${rangeName(chunk)}.${format}`)
}

/** Folder of a chunk's file inside the output folder: that of its day, or the output folder itself, which is an empty path. */
export function chunkFolder(dataset: string, date: string | undefined): string {
  return date === undefined ? '' : join(dataset, `date=${date}`)
}

/** Names of files that {@link chunkPath} makes, of any network, dataset and format. The tip is none of them. */
export const chunkFileName = new RegExp(
  `^[a-z]\\w*__\\w+__\\d{8,}_to_\\d{8,}\\.(?:${fileFormats.join('|')})$`,
)

/** Path of a manifest inside the output folder. */
export function manifestPath(dataset: string, chunk: Chunk): string {
  return `_manifest/${dataset}/${rangeName(chunk)}.json`
}

function rangeName({ from, to, isTip }: Chunk): string {
  if (isTip) return 'tip'
  const digits = (block: number) => String(block).padStart(8, '0')
  return `${digits(from)}_to_${digits(to)}`
}
