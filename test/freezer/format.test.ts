import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { openFreezer } from '../../src/freezer/freezer.js'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'geth-reader-test-'))
  const note = readFileSync(new URL('../../src/freezer/FORMAT.md', import.meta.url), 'utf8')
  const example = note.slice(note.indexOf('## Worked example'))
  for (const [, name, hex] of example.matchAll(/^((?:hashes|bodies)\.\S+) +([0-9a-f ]+)$/gm)) {
    writeFileSync(join(directory, name!), hexToBytes(hex!.replaceAll(' ', '')))
  }
})

afterEach(() => rmSync(directory, { recursive: true }))

it('the first worked example of FORMAT.md decodes as it says', () => {
  writeFileSync(
    join(directory, 'hashes.0000.rdat'),
    Uint8Array.from({ length: 96 }, (_, i) => i),
  )
  using freezer = openFreezer(directory, [{ name: 'hashes', compressed: false, optional: false }])
  const table = freezer.table('hashes')!
  expect([table.tail, table.head, freezer.head]).toEqual([0, 3, 3])
  expect(table.read(1)).toEqual(Uint8Array.from({ length: 32 }, (_, i) => 32 + i))
})

it('the second worked example of FORMAT.md decodes as it says', () => {
  using freezer = openFreezer(directory, [{ name: 'bodies', compressed: true, optional: false }])
  const table = freezer.table('bodies')!
  const text = (item: number) => new TextDecoder().decode(table.read(item))
  expect([table.tail, table.head]).toEqual([1_000_001, 1_000_003])
  expect(table.read(1_000_000)).toBeUndefined()
  expect([text(1_000_001), text(1_000_002)]).toEqual(['def', 'ghipq'])
})
