// What the doctor says of this machine: Node, processors, memory, descriptors, and the speed of reads from the directory.
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { descriptorLimit } from '../../file-error.js'
import { median } from '../bench/measure.js'
import { formatBytes } from '../format-bytes.js'
import { type Finding, note, ok } from './finding.js'

/** Fewer may be too few for a service with many clients. */
const enoughDescriptors = 4_096
/** Two threads with the caches of the service, and a page cache. */
const enoughMemory = 2 * 2 ** 30

export function machineFindings(): Finding[] {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const memoryText = formatBytes(memory)
  const processors = availableParallelism()
  return [
    ok('node', `${process.versions.node} on ${process.platform} ${process.arch}`),
    ok('processors', `${processors}: so many threads by default (--threads, --workers)`),
    memory < enoughMemory
      ? note('memory', memoryText, 'for a service: --threads 1 --cache 64')
      : ok('memory', memoryText),
    ...(descriptorLimit === undefined ? [] : [descriptors(descriptorLimit)]),
  ]
}

function descriptors(limit: number): Finding {
  const text = `${limit} files and connections at a time`
  return limit < enoughDescriptors
    ? note('descriptors', text, 'for a service: ulimit -n 65536')
    : ok('descriptors', text)
}

const pageBytes = 4_096
const mostPages = 256
const mostMilliseconds = 1_000
/** Slower than any page cache, faster than any disk. */
const cachedMicroseconds = 30

/** Measures reads of single pages at random places of the largest files in folders: at most 256, for at most a second. */
export function diskFinding(folders: readonly string[]): Finding {
  const files = folders.flatMap(dataFiles).sort((a, b) => b.bytes - a.bytes)
  const times: number[] = []
  const start = performance.now()
  const page = new Uint8Array(pageBytes)
  for (const { path, bytes } of files.slice(0, 8)) {
    const file = openSync(path, 'r')
    try {
      for (let i = 0; i < mostPages / 8 && performance.now() - start < mostMilliseconds; i++) {
        const position = Math.floor((Math.random() * bytes) / pageBytes) * pageBytes
        const before = performance.now()
        readSync(file, page, 0, pageBytes, position)
        times.push((performance.now() - before) * 1_000)
      }
    } finally {
      closeSync(file)
    }
  }
  if (times.length === 0) return note('reads', 'no data file to measure')
  const microseconds = median(times)
  const text = `${microseconds.toFixed(microseconds < 10 ? 1 : 0)} µs for a page of 4 KiB, median of ${times.length}`
  return microseconds < cachedMicroseconds
    ? ok('reads', `${text}: from the page cache`)
    : note(
        'reads',
        `${text}: from the disk`,
        'the speeds below are of a cold cache; repeat to see those of a warm one',
      )
}

/** Tables and data files of a folder and of the folders in it. Files that vanish meanwhile do not count. */
function dataFiles(folder: string): { path: string; bytes: number }[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => /\.(?:ldb|sst|[cr]dat|era1|ere)$/.test(name))
    .flatMap((name) => {
      const path = join(folder, name)
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat === undefined || stat.size < pageBytes ? [] : [{ path, bytes: stat.size }]
    })
}
