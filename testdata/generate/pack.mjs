// Packs a fixture as pack.go does, for the generators that are no Go.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

/** Writes testdata/fixtures/NAME.tar.br of files and folders below `work`. */
export function packFixture(name, work, contents) {
  const files = execFileSync('find', [...contents, '-type', 'f'], { cwd: work })
    .toString()
    .trim()
    .split('\n')
    .sort()
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']
  execFileSync('tar', ['--format=ustar', ...owner, '-cf', 'pack.tar', ...files], { cwd: work })
  const tar = readFileSync(join(work, 'pack.tar'))
  const bytes = brotliCompressSync(tar, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: tar.length } })
  writeFileSync(fileURLToPath(new URL(`../fixtures/${name}.tar.br`, import.meta.url)), bytes)
  console.log(`${name}: ${bytes.length} bytes`)
}
