// Simulated blocks against viem's simulateBlocks on chain.provider, whose eth_simulateV1 test/rpc compares with geth's.
import { createPublicClient, custom } from 'viem'
import { simulateBlocks } from 'viem/actions'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GethChain, type Hex, openDatadir, type SimulateBlocksParameters } from '../../src/index.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

let fixture: Fixture
let chain: GethChain

beforeAll(async () => {
  fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
  chain = await openDatadir({ path: fixture.path, workers: 1 })
})

afterAll(async () => {
  await chain?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const account: Hex = `0x${'aa'.repeat(20)}`
const to: Hex = `0x${'bb'.repeat(20)}`
const logger: Hex = `0x${'cc'.repeat(20)}`
const reverter: Hex = `0x${'dd'.repeat(20)}`

const simulations: [string, SimulateBlocksParameters][] = [
  ['an empty block', { blocks: [{ calls: [] }] }],
  [
    'transfers with their logs and whole transactions',
    {
      returnFullTransactions: true,
      traceTransfers: true,
      blocks: [
        {
          stateOverrides: [{ address: account, balance: 10n ** 18n }],
          calls: [
            { account, to, value: 5n },
            { account, to, value: 6n, gas: 30_000n },
          ],
        },
        { blockOverrides: { gasLimit: 1_000_000n }, calls: [{ account: to, to: account, value: 11n }] },
      ],
    },
  ],
  [
    'logs, returned data, reverts and failures',
    {
      blockTag: 'latest',
      blocks: [
        {
          stateOverrides: [
            // LOG1 with topic 7, then returns 32 bytes.
            { address: logger, code: '0x600760206000a160206000f3' },
            { address: reverter, code: '0x60206000fd' },
            { address: to, code: '0xfe' },
          ],
          calls: [
            { account, to: logger },
            { account, to: reverter },
            { account, to, gas: 100_000n },
          ],
        },
      ],
    },
  ],
]

it.each(simulations)('gives %s as viem', async (_, parameters) => {
  const client = createPublicClient({ transport: custom(chain.provider) })
  const ours = await chain.simulateBlocks(parameters)
  const theirs = await simulateBlocks(client, parameters as never)
  const plain = (blocks: readonly { readonly calls: readonly object[] }[]) =>
    blocks.map((block) => ({
      ...block,
      // viem decodes results and errors by an ABI.
      calls: block.calls.map((call) => ({ ...call, result: undefined, error: undefined })),
    }))
  expect(plain(ours)).toEqual(plain(theirs))
})

it('says how a call failed', async () => {
  const [, parameters] = simulations[2]!
  const [block] = await chain.simulateBlocks(parameters)
  expect(block!.calls.map(({ status, error }) => [status, error?.code])).toEqual([
    ['success', undefined],
    ['failure', 'CALL_REVERTED'],
    ['failure', 'CALL_FAILED'],
  ])
  expect(block!.calls[1]!.data).toBe(`0x${'00'.repeat(32)}`)
  expect(block!.calls[0]!.logs).toHaveLength(1)
})

it('throws if the simulation is refused, and for wrong arguments', async () => {
  const simulate = (parameters: object) => chain.simulateBlocks(parameters as SimulateBlocksParameters)
  const calls = [{ account, to, value: 1n }]
  await expect(simulate({ blocks: [{ calls }] })).rejects.toMatchObject({
    code: 'CALL_REJECTED',
    message: expect.stringContaining('insufficient funds'),
  })
  await expect(simulate({ blocks: [{ calls: [], blockOverrides: { number: 1n } }] })).rejects.toMatchObject({
    code: 'CALL_REJECTED',
    message: expect.stringContaining('block numbers must be in order'),
  })
  await expect(simulate({ blocks: [] })).rejects.toThrow('blocks: expected 1 to 256 blocks, got 0')
  await expect(simulate({ blocks: [{ calls: [{ stateOverride: [] }] }] })).rejects.toThrow(
    'stateOverride: unknown member of blocks[0].calls[0]',
  )
  await expect(simulate({ blocks: [{ calls, stateOverrides: [{ address: '0x' }] }] })).rejects.toThrow(
    'blocks[0].stateOverrides[0].address: expected 0x and 40 hex digits',
  )
  await expect(simulate({ blocks: [{ calls }], validation: 1 })).rejects.toThrow(
    'validation: expected a boolean, got 1',
  )
})
