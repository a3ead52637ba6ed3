// The worked examples of the FORMAT.md files: blocks of hex under a line that begins with the file's name in quotes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hexToBytes } from '../../src/bytes.js'

/** Files of the worked example in a document of the repository, by name. */
export function readExample(document: string): ReadonlyMap<string, Uint8Array> {
  const text = readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), 'utf8')
  const files = new Map<string, Uint8Array>()
  for (const [, name, block] of text.matchAll(/^`([\w.-]+)`[^\n]*\n\n```hex\n([^`]*)```/gm)) {
    // Hex digits end at three spaces, where the explanation begins.
    const hex = block!.split('\n').map((line) => line.split('   ')[0]!.replaceAll(' ', ''))
    files.set(name!, hexToBytes(hex.join('')))
  }
  return files
}

/** Writes the example's files into an existing directory. */
export function writeExample(document: string, directory: string): void {
  for (const [name, bytes] of readExample(document)) writeFileSync(join(directory, name), bytes)
}
