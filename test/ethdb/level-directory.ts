// LevelDB directories for tests, written by classic-level, which is a real LevelDB.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { onTestFinished } from 'vitest'
import type { Pair } from './conformance.js'

/** A new temporary directory, by its real path; remove it with {@link removeDirectory}. */
export function makeDirectory(label: string): string {
  return mkdtempSync(join(realpathSync(tmpdir()), `geth-reader-test-${label}-`))
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

/** A temporary directory that is gone when the test is over. */
export function testDirectory(label: string): string {
  const directory = makeDirectory(label)
  onTestFinished(() => removeDirectory(directory))
  return directory
}

/** Opens a directory for writing, with small tables so that a test soon has many. */
export async function openWriter(directory: string): Promise<ClassicLevel<Uint8Array, Uint8Array>> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    writeBufferSize: 256 * 1024,
    maxFileSize: 1024 * 1024,
  })
  await level.open()
  return level
}

/** Writes the pairs into a directory: the first part ends in tables, the last part in the write-ahead log only, each in a record. */
export async function writeLevel(directory: string, pairs: readonly Pair[]): Promise<void> {
  const inTables = Math.ceil(pairs.length * 0.9)
  // Many at once, because each write waits for another thread.
  await write(directory, pairs.slice(0, inTables), 100)
  await write(directory, pairs.slice(inTables), 1)
}

async function write(directory: string, pairs: readonly Pair[], together: number): Promise<void> {
  const level = await openWriter(directory)
  for (let from = 0; from < pairs.length; from += together) {
    const batch = level.batch()
    for (const [key, value] of pairs.slice(from, from + together)) batch.put(key, value)
    await batch.write()
  }
  await level.close()
}

const nobody = 65_534

/** Runs the body without the rights of root, for which no file is closed. */
export function asOrdinaryUser<T>(body: () => T): T {
  if (process.geteuid?.() !== 0) return body()
  process.seteuid!(nobody)
  const restore = () => process.seteuid!(0)
  let result: T
  try {
    result = body()
  } catch (error) {
    restore()
    throw error
  }
  if (result instanceof Promise) return result.finally(restore) as T
  restore()
  return result
}
