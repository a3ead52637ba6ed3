// When each block reached the write-ahead log of a key-value store, and when a server knew of it. Looks for the head marker
// in the raw bytes of the logs, so that it depends on no reader.
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { ask, sleep } from './geth-node.mjs'

const marker = Buffer.from('LastBlock ') // Key and, as a space, the length of the value: a hash of 32 bytes.
const pauseMilliseconds = 20

/** Watches until `stop`, which returns milliseconds from log to server for every block that was seen in both. */
export function watchHeads(chaindata, serverUrl) {
  /** Time of each head in the log, by hash. */
  const written = new Map()
  /** Heads of the server: number, hash and time. */
  const served = []
  const offsets = new Map()
  let isStopped = false

  const readLogs = () => {
    for (const name of readdirSync(chaindata)) {
      if (!/^\d+\.log$/.test(name)) continue
      const bytes = readTail(join(chaindata, name), offsets, name)
      const now = performance.now()
      for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
        const hash = bytes.toString('hex', at + marker.length, at + marker.length + 32)
        // A marker that a chunk of the log splits is passed over.
        if (hash.length === 64 && !written.has(hash)) written.set(hash, now)
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
        const number = await numberOf(`0x${hash}`)
        if (number === undefined) continue
        const first = served.find((head) => head.number >= number)
        milliseconds.push(first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, first.time - time))
      }
      return milliseconds.sort((a, b) => a - b)
    },
  }
}

/** Hashes of all head markers in the logs, in the order of the files. */
export function headsInLogs(chaindata) {
  const hashes = []
  for (const name of readdirSync(chaindata).sort()) {
    if (!/^\d+\.log$/.test(name)) continue
    const bytes = readTail(join(chaindata, name), new Map(), name)
    for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
      hashes.push(`0x${bytes.toString('hex', at + marker.length, at + marker.length + 32)}`)
    }
  }
  return hashes
}

/** What was appended since the last call, and a little of what came before it; nothing where the file is gone. */
function readTail(path, offsets, name) {
  const from = Math.max(0, (offsets.get(name) ?? 0) - marker.length - 32)
  const parts = []
  let at = from
  try {
    const file = openSync(path, 'r')
    try {
      for (;;) {
        const part = Buffer.alloc(1 << 20)
        const length = readSync(file, part, 0, part.length, at)
        if (length === 0) break
        parts.push(part.subarray(0, length))
        at += length
      }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  offsets.set(name, at)
  return Buffer.concat(parts)
}
