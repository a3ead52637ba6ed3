// Builds dist/ from src/: first the WebAssembly kernel (AssemblyScript), then TypeScript.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildKernel } from './build-kernel.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const run = (bin, args) =>
  execFileSync(process.execPath, [`${root}node_modules/${bin}`, ...args], { cwd: root, stdio: 'inherit' })

rmSync(`${root}dist`, { recursive: true, force: true })
const kernel = buildKernel()
run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
copyFileSync(kernel, `${root}dist/kernel/kernel-wasm.js`)
