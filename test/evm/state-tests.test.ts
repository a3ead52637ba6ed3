import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isFull } from '../full-form.js'
import { runStateTest, type StateTest } from './state-test.js'
import { testChainConfig } from './test-forks.js'

const file = new URL('../../testdata/evm/state-tests.json.gz', import.meta.url)
const tests = Object.entries(
  JSON.parse(gunzipSync(readFileSync(file)).toString()) as Readonly<Record<string, StateTest>>,
)

async function problems(engine: 'builtin' | 'ethereumjs', every: number): Promise<string[]> {
  const found: string[] = []
  for (const [index, [name, stateTest]] of tests.entries()) {
    if (index % every !== 0) continue
    for (const [fork, posts] of Object.entries(stateTest.post)) {
      for (const post of posts) {
        const problem = await runStateTest(stateTest, fork, post, engine)
        if (problem !== undefined) found.push(`${name} ${fork}: ${problem}`)
      }
    }
  }
  return found
}

test('published state tests end with their state roots and logs on the built-in engine', async () => {
  expect(tests).toHaveLength(269)
  expect(await problems('builtin', isFull ? 1 : 3)).toEqual([])
})

test('every tenth state test ends with its state root and logs on @ethereumjs/evm', async () => {
  expect(await problems('ethereumjs', 10)).toEqual([])
})

test('a test without a sender is signed by its key', async () => {
  const [name, stateTest] = tests[0]!
  const { sender: _, ...transaction } = stateTest.transaction
  const [fork, posts] = Object.entries(stateTest.post)[0]!
  expect(transaction.secretKey, name).toBeDefined()
  expect(await runStateTest({ ...stateTest, transaction }, fork, posts[0]!)).toBeUndefined()
})

test.each([
  ...['Frontier', 'Homestead', 'EIP150', 'EIP158', 'Byzantium', 'Constantinople', 'ConstantinopleFix'],
  ...['Istanbul', 'MuirGlacier', 'Berlin', 'London', 'ArrowGlacier', 'GrayGlacier', 'Merge', 'Paris'],
  ...['Shanghai', 'Cancun', 'Prague', 'Osaka', 'BPO1', 'BPO2'],
])('%s is the name of a fork', (name) => {
  expect(testChainConfig(name)?.chainId).toBe(1n)
})

test.each(['FrontierToHomesteadAt5', 'ParisToShanghaiAtTime15k', 'Amsterdam'])('%s is not', (name) => {
  expect(testChainConfig(name)).toBeUndefined()
})
