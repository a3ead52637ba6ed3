// Prints each new block as geth writes it, and what is dropped when geth switches to another branch. Ctrl-C ends it.
// node follow.ts ~/.ethereum          from the next block on
// node follow.ts ~/.ethereum 19000000 from this block on
import { openDatadir } from 'geth-reader'

const [datadir, from] = process.argv.slice(2)
if (datadir === undefined) {
  console.error('usage: node follow.ts DATADIR [BLOCK]')
  process.exit(2)
}

const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())

const chain = await openDatadir(datadir)
const start = from === undefined ? {} : { fromBlock: BigInt(from) }
try {
  for await (const event of chain.watchBlocks({ ...start, signal: stop.signal })) {
    if (event.type === 'block') {
      const { number, timestamp, transactions, gasUsed, gasLimit } = event.block
      const age = Math.round(Date.now() / 1_000) - Number(timestamp)
      const full = (100 * Number(gasUsed)) / Number(gasLimit)
      console.log(`${number}: ${transactions.length} transactions, ${full.toFixed(1)} % full, ${age} s old`)
    } else if (event.type === 'reorg') {
      console.log(`${event.dropped.length} blocks after ${event.ancestor.number} were dropped`)
    } else {
      console.log(`blocks up to ${event.block.number} are final`)
    }
  }
} catch (error) {
  if (!stop.signal.aborted) throw error
} finally {
  await chain.close()
}
