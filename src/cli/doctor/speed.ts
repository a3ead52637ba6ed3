// Measures what a directory gives on this machine: a few reads of each kind, each for at most two seconds.
import { randomBytes } from 'node:crypto'
import type { GethChain } from '../../api/geth-chain.js'
import { bytesToHex } from '../../bytes.js'
import { GethReaderError } from '../../errors.js'
import type { DatadirInfo } from '../../view/datadir-info.js'
import { median } from '../bench/measure.js'
import { type Finding, note, ok } from './finding.js'

const mostMilliseconds = 2_000
const mostReads = 32
const searchedBlocks = 500_000n

export async function speedFindings(chain: GethChain, { available, head }: DatadirInfo): Promise<Finding[]> {
  const { fromBlock } = available.bodies
  const places = head.number - fromBlock + 1n
  const findings = [
    await timed('full block', async (i) => {
      const blockNumber = fromBlock + (places * BigInt(i)) / BigInt(mostReads)
      await chain.getBlock({ blockNumber, includeTransactions: true })
    }),
    await searchSpeed(chain, head.number),
  ]
  const newest = available.states[0]
  if (newest === undefined) return findings
  const account = await timed('account', async () => {
    await chain.getBalance({ address: randomAddress(), blockNumber: newest.toBlock })
  })
  return [...findings, account]
}

/** The median time of up to 32 reads. */
async function timed(subject: string, read: (i: number) => Promise<void>): Promise<Finding> {
  const times: number[] = []
  const start = performance.now()
  for (let i = 0; i < mostReads && performance.now() - start < mostMilliseconds; i++) {
    const before = performance.now()
    await read(i)
    times.push(performance.now() - before)
  }
  return ok(subject, `${median(times).toFixed(2)} ms, median of ${times.length}`)
}

/** Searches the newest blocks for logs of an address that has none. */
async function searchSpeed(chain: GethChain, head: bigint): Promise<Finding> {
  const fromBlock = head < searchedBlocks ? 0n : head - searchedBlocks
  const filter = { address: randomAddress(), fromBlock, toBlock: head }
  const blocks = Number(head - fromBlock) + 1
  const start = performance.now()
  try {
    const { steps } = await chain.planLogs(filter)
    await chain.countLogs(filter, { signal: AbortSignal.timeout(mostMilliseconds) })
    const seconds = (performance.now() - start) / 1_000
    const sources = [...new Set(steps.map(({ source }) => source))].join(' and ')
    return ok('rare log', `${(seconds * 1_000).toFixed(0)} ms for ${blocks} blocks, by ${sources}`)
  } catch (error) {
    if (!(error instanceof GethReaderError)) throw error
    if (error.code === 'ABORTED')
      return note('rare log', `more than ${mostMilliseconds / 1_000} s for ${blocks} blocks`)
    return note('rare log', `${error.message} (${error.code})`)
  }
}

function randomAddress(): `0x${string}` {
  return bytesToHex(randomBytes(20))
}
