// Builds dist/ from src/: the WebAssembly kernels (AssemblyScript) beside TypeScript, then what needs no compiler, licenses of
// bundled packages, the man page, then bundles.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildKernels } from './kernel.mjs'
import { writeManPage } from './man-page.mjs'
import { bundlePrograms } from './programs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Ends the build with the status of TypeScript if that has found errors, which it has printed. */
async function compileTypeScript() {
  const tsc = [`${root}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json']
  const [status] = await once(spawn(process.execPath, tsc, { cwd: root, stdio: 'inherit' }), 'exit')
  if (status !== 0) process.exit(status ?? 1)
}

rmSync(`${root}dist`, { recursive: true, force: true })
const [kernels] = await Promise.all([buildKernels(), compileTypeScript()])
for (const module of kernels) copyFileSync(`${root}${module}`, `${root}${module.replace('src', 'dist')}`)
const addons = 'kernel/native/prebuilt'
cpSync(`${root}src/${addons}`, `${root}dist/${addons}`, { recursive: true })
const page = 'server/operations/page.html'
copyFileSync(`${root}src/${page}`, `${root}dist/${page}`)
for (const name of ['echarts/LICENSE', 'echarts/NOTICE', 'zrender/LICENSE'])
  copyFileSync(`${root}node_modules/${name}`, `${root}dist/report/${name.replace('/', '-')}`)
for (const name of ['hyparquet', 'hyparquet-writer'])
  copyFileSync(`${root}node_modules/${name}/LICENSE`, `${root}dist/datasets/${name}-LICENSE`)
await writeManPage()
await bundlePrograms()
