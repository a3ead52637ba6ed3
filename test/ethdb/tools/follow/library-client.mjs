// Prints what watchBlocks and watchLogs of the library yield, a line of JSON for each event, after a line that says they
// follow. Ends with its input. `node library-client.mjs DATADIR`.
import { openDatadir } from '../../../../dist/index.js'

const write = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const chain = await openDatadir({ path: process.argv[2], workers: 1 })
const ending = new AbortController()
const { signal } = ending
const fromBlock = (await chain.getBlockNumber()) + 1n

const point = ({ number, hash }) => ({ number: Number(number), hash })
const logOf = ({ blockNumber, blockHash, logIndex, removed }) => ({
  ...{ stream: 'logs', number: Number(blockNumber), hash: blockHash, index: logIndex, removed },
})

async function followBlocks() {
  for await (const event of chain.watchBlocks({ fromBlock, signal })) {
    if (event.type === 'block') {
      const { number, hash, parentHash } = event.block
      write({
        stream: 'blocks',
        number: Number(number),
        hash,
        parent: parentHash,
        at: Math.round(performance.timeOrigin + performance.now()),
      })
    } else if (event.type === 'reorg') {
      write({ stream: 'blocks', ancestor: point(event.ancestor), dropped: event.dropped.map(point) })
    } else write({ stream: 'finalized', ...point(event.block) })
  }
}

async function followLogs() {
  for await (const event of chain.watchLogs({}, { fromBlock, signal })) {
    if (event.type !== 'finalized') for (const log of event.logs) write(logOf(log))
  }
}

const done = Promise.all(
  [followBlocks(), followLogs()].map((following) =>
    following.catch((error) => {
      if (error.code !== 'ABORTED') throw error
    }),
  ),
)
write({ isReady: true })
process.stdin.resume()
process.stdin.once('end', () => ending.abort())
await done
await chain.close()
