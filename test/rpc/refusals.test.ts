import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { HashedHeader } from '../../src/chain/block.js'
import { runCall } from '../../src/evm/call.js'
import type { CallRequest } from '../../src/evm/engine.js'
import type { StateReader } from '../../src/state/state-source.js'
import { TestDispatcher } from '../server/test-dispatcher.js'
import { recordedConfig } from '../types/geth-records.js'
import { fakeBackend, patientContext } from './fake-backend.js'

/**
 * Bodies that geth 1.17.5 answers without looking at a block (junk, bad arguments, batches, a few handshake calls) and
 * its answers, sent to it by HTTP POST. The chain is the one of geth-records.json with 800 blocks.
 */
const recorded: readonly { readonly body: string; readonly response: string }[] = readFileSync(
  new URL('geth-refusals.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

const head = { header: { number: 800, gasLimit: 1n } } as HashedHeader
const chain = { config: recordedConfig, state: {} as StateReader, blockHash: () => undefined }
const backend = fakeBackend({
  head: () => head,
  header: () => head,
  tagNumber: () => 800,
  stateAt: () => chain.state,
  runEvm: (_name, call) => runCall(call as CallRequest, chain) as never,
})

describe('refused bodies', () => {
  it('answers everything that geth refused, byte for byte', async () => {
    const dispatcher = new TestDispatcher(backend)
    expect(recorded.length).toBeGreaterThan(400)
    const differences = []
    for (const { body, response } of recorded) {
      const answer = (await dispatcher.handle(body, patientContext)) ?? ''
      if (answer !== response) differences.push({ body, geth: response, ours: answer })
    }
    expect(differences).toEqual([])
  })
})
