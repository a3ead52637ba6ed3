// Reads the files that an operator names: config, certificate and key. A file that cannot be read is a ConfigError.
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../server/plans/config-error.js'

/** A config with 100,000 keys takes 10 MB. */
const maxFileBytes = 64 * 1024 * 1024

/** The text of a file. Throws {@link ConfigError}. */
export function readSettingsFile(file: string): string {
  return naming(file, () => {
    const { size } = statSync(file)
    if (size > maxFileBytes) throw new Error(`expected at most ${maxFileBytes} bytes, got ${size}`)
    return readFileSync(file, 'utf8')
  })
}

/**
 * Throws {@link ConfigError} if a file cannot be read a second time. A pipe, as in `--config <(decrypt config)`, can be
 * read at the start, but later it would block the process until somebody writes to it.
 */
export function checkCanReadAgain(file: string): void {
  naming(file, () => {
    if (!statSync(file).isFile()) throw new Error('expected a regular file')
  })
}

function naming<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError([{ path: '', text: (error as Error).message }], file)
  }
}
