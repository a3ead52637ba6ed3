// What a person wants to know of a store: levels, files, sizes, logs, versions.
import type { ExtendedView, StoreFiles } from './store-files.js'

/** Table files of a level. */
export interface LevelDescription {
  readonly level: number
  readonly files: number
  readonly bytes: number
}

export interface LogDescription {
  readonly number: number
  /** Bytes of whole records. */
  readonly bytes: number
  readonly entries: number
}

export interface TableStoreDescription {
  readonly engine: 'leveldb' | 'pebble'
  /** Format of the directory in words, such as `Pebble 13`. */
  readonly formatVersion: string
  readonly manifest: { readonly name: string; readonly bytes: number }
  /** Levels that have tables. */
  readonly levels: readonly LevelDescription[]
  /** Write-ahead logs that are not in tables yet, oldest first. */
  readonly logs: readonly LogDescription[]
  readonly tableFiles: number
  readonly tableBytes: number
  readonly logBytes: number
  readonly lastSequence: number
}

/** Describes a view from what is in memory; reads nothing. */
export function describeView(
  { view, extent, listing }: ExtendedView,
  { engine }: StoreFiles,
): TableStoreDescription {
  const { version } = view
  const levels = Array.from({ length: version.levelCount }, (_, level) => {
    const files = version.level(level)
    return { level, files: files.length, bytes: sum(files.map(({ bytes }) => bytes)) }
  }).filter(({ files }) => files > 0)
  const logs = view.logs
    .map(({ number, position }) => ({ number, bytes: position.offset, entries: position.entries }))
    .reverse()
  return {
    engine: engine.name,
    formatVersion: engine.formatVersion(listing),
    manifest: { name: extent.manifest, bytes: extent.manifestBytes },
    levels,
    logs,
    tableFiles: sum(levels.map(({ files }) => files)),
    tableBytes: sum(levels.map(({ bytes }) => bytes)),
    logBytes: sum(logs.map(({ bytes }) => bytes)),
    lastSequence: extent.lastSequence,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
