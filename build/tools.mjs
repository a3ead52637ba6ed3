// Compiles programs that are no part of the package, as benches and tools of the tests, together with the sources that they import.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildKernels } from './kernel.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Compiles a TypeScript project into an empty folder, which looks like the root of the package: it has the kernels, `dist` for the
 * threads that start from there, and the fixtures. Both paths are from the root.
 */
export async function buildTools(project, folder) {
  const build = join(root, folder)
  rmSync(build, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(root, project)], { stdio: 'inherit' })
  for (const module of await buildKernels()) {
    mkdirSync(dirname(join(build, module)), { recursive: true })
    copyFileSync(join(root, module), join(build, module))
  }
  for (const name of ['dist', 'testdata']) symlinkSync(join(root, name), join(build, name), 'junction')
  copyFileSync(join(root, 'package.json'), join(build, 'package.json'))
}
