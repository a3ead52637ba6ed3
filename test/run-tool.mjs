// node test/run-tool.mjs FOLDER/NAME [ARGUMENT…]: compiles the tools of the tests and runs one, as `evm/tools/statetest`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildTools } from '../build/tools.mjs'

await buildTools('test/tsconfig.tools.json', 'test/.build')
const [name, ...options] = process.argv.slice(2)
const program = fileURLToPath(new URL(`.build/test/${name}.js`, import.meta.url))
const { status } = spawnSync(process.execPath, [program, ...options], { stdio: 'inherit' })
process.exitCode = status ?? 1
