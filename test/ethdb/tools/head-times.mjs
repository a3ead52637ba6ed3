// When each block reached the write-ahead log of a key-value store, and when a server knew of it. Looks for the head marker
// in the raw bytes of the logs, so that it depends on no reader.
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { ask, sleep } from './geth-node.mjs'

const marker = Buffer.from('LastBlock ') // Key and, as a space, the length of the value: a hash of 32 bytes.
const markerBytes = marker.length + 32
/** More than the log grows by between two blocks. */
const windowBytes = 2 << 20
const pauseMilliseconds = 20

/** Watches until `stop`, which returns milliseconds from log to server for every block that was seen in both. */
export function watchHeads(chaindata, serverUrl) {
  /** Time of each head in the log, by hash. */
  const written = new Map()
  /** Heads of the server: number, hash and time. */
  const served = []
  /** Where to look on in each log. Pebble's are as long as they will be from the beginning on, or are used again. */
  const places = new Map()
  let isStopped = false

  const readLogs = () => {
    for (const name of logNames(chaindata)) {
      const place = places.get(name) ?? 0
      const bytes = readBytes(join(chaindata, name), place, windowBytes)
      const now = performance.now()
      for (const [hash, end] of headsIn(bytes)) {
        if (written.has(hash)) continue
        written.set(hash, now)
        places.set(name, place + end)
      }
    }
  }
  const watchLogs = async () => {
    for (; !isStopped; await sleep(pauseMilliseconds)) readLogs()
  }
  const watchServer = async () => {
    for (; !isStopped; await sleep(pauseMilliseconds)) {
      const block = await ask(serverUrl, 'eth_getBlockByNumber', 'latest', false)
      if (block.hash !== served.at(-1)?.hash) {
        served.push({ number: Number(block.number), hash: block.hash, time: performance.now() })
      }
    }
  }
  readLogs()
  const before = new Set(written.keys())
  const done = Promise.all([watchLogs(), watchServer()])
  done.catch(() => {})
  return {
    /** `numberOf` gives the number of a block by its hash; undefined for one that there is not. */
    async stop(numberOf) {
      // The last blocks have their two seconds, too.
      await sleep(3_000)
      isStopped = true
      await done
      const last = served.at(-1).time - 2_000
      const milliseconds = []
      for (const [hash, time] of written) {
        if (before.has(hash) || time > last) continue
        const number = await numberOf(hash)
        if (number === undefined) continue
        const first = served.find((head) => head.number >= number)
        milliseconds.push(first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, first.time - time))
      }
      return milliseconds.sort((a, b) => a - b)
    },
  }
}

/** Hashes of all head markers in the logs. */
export function headsInLogs(chaindata) {
  return logNames(chaindata).flatMap((name) => {
    const bytes = readBytes(join(chaindata, name), 0, Number.POSITIVE_INFINITY)
    return Array.from(headsIn(bytes), ([hash]) => hash)
  })
}

function logNames(chaindata) {
  return readdirSync(chaindata).filter((name) => /^\d+\.log$/.test(name))
}

/** Hash and end of each head marker; one that a chunk of the log splits is passed over. */
function* headsIn(bytes) {
  for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
    const end = at + markerBytes
    if (end <= bytes.length) yield [`0x${bytes.toString('hex', at + marker.length, end)}`, end]
  }
}

/** Bytes of a file from `from` on, at most `length`; none where it is gone. */
function readBytes(path, from, length) {
  let file
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, fstatSync(file).size - from)))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}
