import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { runStateTest, type StateTest } from './state-test.js'

const file = new URL('../../testdata/evm/state-tests.json.gz', import.meta.url)
const tests = Object.entries(
  JSON.parse(gunzipSync(readFileSync(file)).toString()) as Readonly<Record<string, StateTest>>,
)

async function problems(engine: 'own' | 'ethereumjs', every: number): Promise<string[]> {
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

test('every published state test ends with its state root and logs on the own engine', async () => {
  expect(tests).toHaveLength(269)
  expect(await problems('own', 1)).toEqual([])
})

test('so does every tenth of them on @ethereumjs/evm', async () => {
  expect(await problems('ethereumjs', 10)).toEqual([])
})
