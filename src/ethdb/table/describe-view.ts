// Describes a view of a store for people.
import type { TableStoreDescription } from '../table-store-description.js'
import type { ExtendedView, StoreFiles } from './store-files.js'

/** Levels, files, logs and format of a view. Reads nothing from disk but, of Pebble, the names in the directory. */
export function describeView({ view, extent }: ExtendedView, files: StoreFiles): TableStoreDescription {
  const { version } = view
  const levels = Array.from({ length: version.levelCount }, (_, level) => {
    const tables = version.level(level)
    return { level, files: tables.length, bytes: sum(tables.map(({ bytes }) => bytes)) }
  }).filter(({ files }) => files > 0)
  const logs = view.logs
    .map(({ number, position }) => ({ number, bytes: position.offset, entries: position.entries }))
    .reverse()
  return {
    engine: files.engine.name,
    formatVersion: files.formatVersion(),
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
