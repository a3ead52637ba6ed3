// npm run load [-- --seconds N --datadir DIR --recording FILE --against URL …]: compiles what lies beside this file and
// runs it; load.ts tells the options.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildTools } from '../../build/tools.mjs'

await buildTools('bench/load/tsconfig.json', 'bench/.build/load')
const program = fileURLToPath(new URL('../.build/load/bench/load/load.js', import.meta.url))
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
