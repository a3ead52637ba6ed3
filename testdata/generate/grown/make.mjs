// Makes fixtures/grown-1.10.26-leveldb-hash-archive.tar.br: a directory that three releases of geth wrote one after the other,
// and what the last of them reads of it. `node testdata/generate/grown/make.mjs`; needs Go.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packFixture } from '../pack.mjs'

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
  packFixture(name, work, ['meta.json', 'expected.json', 'datadir'])
} finally {
  rmSync(work, { recursive: true, force: true })
}
