// npm run statetest -- PATH… [--engine builtin|ethereumjs] [--fork NAME]: runs state test files, or all of a folder. Files that
// hold blockchain tests or none at all are refused: they are named, and where there are no others the command ends with 2.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runStateTest, type StateTest } from '../state-test.js'
import { testChainConfig } from '../test-forks.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'builtin' },
    fork: { type: 'string' },
    verbose: { type: 'boolean' },
  },
})
const engine = values.engine === 'ethereumjs' ? 'ethereumjs' : 'builtin'
if (positionals.length === 0 || values.engine !== engine) {
  console.error('usage: npm run statetest -- PATH… [--engine builtin|ethereumjs] [--fork NAME]')
  process.exit(2)
}
if (values.fork !== undefined && testChainConfig(values.fork) === undefined) {
  console.error(`statetest: --fork: expected the name of a fork up to BPO2, got ${values.fork}`)
  process.exit(2)
}

/**
 * Tests of addresses that have storage but neither nonce nor code (EIP-7610). geth does not ask the state for that: it
 * has a list of such accounts on the main network, and skips these tests as well.
 */
const storageCollisions =
  /RevertInCreateInInit|InitCollisionParis|dynamicAccountOverwriteEmpty_Paris|create2collisionStorageParis|eip7610_create_collision.(initcollision|revert_in_create)/

let passed = 0
let failed = 0
let refused = 0
const skipped = new Map<string, number>()

for (const path of positionals.flatMap(testFiles)) {
  const tests = readTests(path)
  if (tests === undefined) continue
  const start = performance.now()
  for (const [name, test] of Object.entries(tests)) await runTest(path, name, test)
  const seconds = (performance.now() - start) / 1000
  if (values.verbose && seconds > 1) console.log(`${path}: ${seconds.toFixed(1)} s`)
}
for (const [reason, count] of skipped) console.log(`skipped ${count}: ${reason}`)
const skippedCount = [...skipped.values()].reduce((sum, count) => sum + count, 0)
console.log(`statetest: ${passed} passed, ${failed} failed, ${skippedCount} skipped`)
const isNothing = refused > 0 && passed + failed + skippedCount === 0
process.exitCode = failed > 0 ? 1 : isNothing ? 2 : 0

/** Undefined for a file of another kind. */
function readTests(path: string): Readonly<Record<string, StateTest>> | undefined {
  const tests = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, Record<string, unknown>>>
  const kinds = new Set(Object.values(tests).map(kindOf))
  if (kinds.size === 1 && kinds.has('state tests'))
    return tests as unknown as Readonly<Record<string, StateTest>>
  refused++
  console.error(`refused ${path}: expected state tests, found ${[...kinds].join(' and ') || 'nothing'}`)
  return undefined
}

function kindOf(test: Readonly<Record<string, unknown>> | null): string {
  if (typeof test !== 'object' || test === null) return 'no tests'
  if ('blocks' in test || 'genesisBlockHeader' in test) return 'blockchain tests'
  if ('pre' in test && 'transaction' in test && 'post' in test) return 'state tests'
  return 'expect' in test ? 'fillers, which tests are made from' : 'tests of another kind'
}

async function runTest(path: string, name: string, test: StateTest): Promise<void> {
  for (const [fork, posts] of Object.entries(test.post ?? {})) {
    if (values.fork !== undefined && fork !== values.fork) continue
    const reason = reasonToSkip(path, fork)
    if (reason !== undefined) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + posts.length)
      continue
    }
    for (const [index, post] of posts.entries()) {
      let problem: string | undefined
      try {
        problem = await runStateTest(test, fork, post, engine)
      } catch (error) {
        problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
      }
      if (problem === undefined) {
        passed++
      } else {
        failed++
        console.log(`FAIL ${path} ${name} ${fork}[${index}]: ${problem}`)
      }
    }
  }
}

function reasonToSkip(path: string, fork: string): string | undefined {
  if (testChainConfig(fork) === undefined) return `${fork} is no fork that state tests are for`
  return storageCollisions.test(path)
    ? 'geth decides storage collisions by a list, not by the state'
    : undefined
}

function testFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.json') && !/(^|[\\/])\.meta[\\/]/.test(name))
    .toSorted()
    .map((name) => `${path}/${name}`)
}
