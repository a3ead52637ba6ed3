// Builds dist/ from src/: first the WebAssembly kernels (AssemblyScript), then TypeScript, then what is no code, licenses of bundled packages, the man page, then bundles.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildKernels } from './build-kernel.mjs'
import { writeManPage } from './build-man-page.mjs'
import { bundlePrograms } from './build-programs.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const run = (bin, args) =>
  execFileSync(process.execPath, [`${root}node_modules/${bin}`, ...args], { cwd: root, stdio: 'inherit' })

rmSync(`${root}dist`, { recursive: true, force: true })
const kernels = buildKernels()
run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
for (const module of kernels) copyFileSync(`${root}${module}`, `${root}${module.replace('src', 'dist')}`)
const page = 'server/operations/page.html'
copyFileSync(`${root}src/${page}`, `${root}dist/${page}`)
for (const name of ['echarts/LICENSE', 'echarts/NOTICE', 'zrender/LICENSE'])
  copyFileSync(`${root}node_modules/${name}`, `${root}dist/report/${name.replace('/', '-')}`)
for (const name of ['hyparquet', 'hyparquet-writer'])
  copyFileSync(`${root}node_modules/${name}/LICENSE`, `${root}dist/datasets/${name}-LICENSE`)
await writeManPage()
await bundlePrograms()
