// Lays stored items out as a table's files in the shapes that the fixtures of geth do not have.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TableSpec } from '../../src/freezer/table-spec.js'

export interface Arrangement {
  /** Number of the first stored item: items below were removed from the front. */
  readonly removed?: number
  readonly firstFile?: number
  readonly itemsPerFile?: number
  /** Content of the metadata file; none is written by default. */
  readonly metadata?: readonly number[]
}

/** Writes the table; `items` are as stored, compressed where the table is. */
export function arrangeTable(
  directory: string,
  { name, compressed }: Pick<TableSpec, 'name' | 'compressed'>,
  items: readonly Uint8Array[],
  { removed = 0, firstFile = 0, itemsPerFile = Math.max(items.length, 1), metadata }: Arrangement = {},
): void {
  const suffix = compressed ? 'c' : 'r'
  const index = Buffer.alloc((items.length + 1) * 6)
  index.writeUInt16BE(firstFile, 0)
  index.writeUInt32BE(removed, 2)
  for (let start = 0; start < Math.max(items.length, 1); start += itemsPerFile) {
    const file = firstFile + start / itemsPerFile
    const inFile = items.slice(start, start + itemsPerFile)
    let end = 0
    for (const [i, item] of inFile.entries()) {
      end += item.length
      index.writeUInt16BE(file, (start + i + 1) * 6)
      index.writeUInt32BE(end, (start + i + 1) * 6 + 2)
    }
    writeFileSync(
      join(directory, `${name}.${String(file).padStart(4, '0')}.${suffix}dat`),
      Buffer.concat(inFile),
    )
  }
  writeFileSync(join(directory, `${name}.${suffix}idx`), index)
  if (metadata) writeFileSync(join(directory, `${name}.meta`), Uint8Array.from(metadata))
}

/** An empty temporary directory; disposing of it removes it. */
export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'geth-reader-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The error that `action` throws. */
export function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('expected an error, none was thrown')
}
