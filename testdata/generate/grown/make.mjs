// Makes fixtures/grown-1.10.26-leveldb-hash-archive.tar.br: a directory that three releases of geth wrote one after the other,
// and what the last of them reads of it. `node testdata/generate/grown/make.mjs`; needs Go.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const name = 'grown-1.10.26-leveldb-hash-archive'
const here = fileURLToPath(new URL('.', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'grown-'))
try {
  const datadir = join(work, 'datadir')
  mkdirSync(datadir)
  for (const release of ['1.8.27', '1.9.25', '1.10.26']) {
    // Go refuses one of the dependencies of geth 1.8 without this flag.
    const program = join(work, release)
    const build = ['build', '-ldflags=-checklinkname=0', '-o', program, '.']
    execFileSync('go', build, { cwd: join(here, release), stdio: 'inherit' })
    execFileSync(program, [datadir], { stdio: 'inherit' })
    rmSync(program)
  }
  renameSync(join(datadir, 'expected.json'), join(work, 'expected.json'))
  writeFileSync(join(work, 'meta.json'), `${JSON.stringify({ name, geth: '1.10.26' })}\n`)
  const files = execFileSync('find', ['meta.json', 'expected.json', 'datadir', '-type', 'f'], { cwd: work })
    .toString()
    .trim()
    .split('\n')
    .sort()
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']
  execFileSync('tar', ['--format=ustar', ...owner, '-cf', 'pack.tar', ...files], { cwd: work })
  const tar = readFileSync(join(work, 'pack.tar'))
  const bytes = brotliCompressSync(tar, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: tar.length } })
  writeFileSync(join(here, '../../fixtures', `${name}.tar.br`), bytes)
  console.log(`${name}: ${bytes.length} bytes`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
