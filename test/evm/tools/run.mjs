// node test/evm/tools/run.mjs NAME [ARGUMENT…]: compiles the tools beside this file and runs one.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildKernels } from '../../../build-kernel.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const root = join(folder, '../../..')
const build = join(folder, '.build')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')], { stdio: 'inherit' })
for (const module of buildKernels()) copyFileSync(join(root, module), join(build, module))
const [name, ...options] = process.argv.slice(2)
const { status } = spawnSync(process.execPath, [join(build, 'test/evm/tools', `${name}.js`), ...options], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
