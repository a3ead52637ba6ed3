// What `dataset verify` says of files, beyond those that exports of fixtures have.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BytesBuilder } from '../../src/datasets/column-builder.js'
import { fileProblems } from '../../src/datasets/export-folder.js'
import { createCsvWriter } from '../../src/datasets/formats/text-file.js'
import type { ChunkManifest } from '../../src/datasets/manifest.js'
import { OutputFile } from '../../src/output-file.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('counts rows of CSV whose texts have line ends and quotes', () => {
  const texts = ['plain', 'two\nlines', 'a "quote"', '"\n"\n', '\r\n']
  const builder = new BytesBuilder('name', 'string')
  for (const text of texts) builder.appendText(text)
  using file = new OutputFile(join(folder, 'names.csv'))
  const column = { name: 'name', type: 'string', isNullable: false, source: 'name', form: 'same' } as const
  const table = {
    columns: [column],
    sortedBy: [],
    compression: 'none',
    writer: 'test',
    metadata: {},
  } as const
  const writer = createCsvWriter(table, (bytes) => file.write(bytes))
  writer.begin()
  writer.write({ length: texts.length, columns: [builder.view()] })
  writer.finish()
  const written = { file: 'names.csv', rows: texts.length, ...file.finish() } as ChunkManifest
  expect(fileProblems(folder, written)).toEqual([])
  expect(fileProblems(folder, { ...written, rows: 6 })).toEqual([
    'names.csv: it has 5 rows, its manifest says 6',
  ])
})
