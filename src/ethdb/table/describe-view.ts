// Describes a view by what is in memory.
import type { TableStoreDescription } from '../table-store-description.js'
import type { ExtendedView, StoreFiles } from './store-files.js'

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
