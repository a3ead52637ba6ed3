// node mixed-reads.mjs GETH_URL SERVER_URL DATADIR READS SECONDS: reads through the library, which refreshes all the
// time, and through a server of ours, and compares every answer with geth's. Goes on until it has compared states too.
// Prints one line of JSON. Run by live.mjs, under strace, while geth writes.
import { openDatadir } from '../../../dist/index.js'
import { ask, postText, sleep, whenIndexed } from './geth-node.mjs'
import { ChainCatalog, toBatch } from './requests.mjs'
import { answerOf, compareAnswers, withoutTotalDifficulty } from './same-answer.mjs'

const [gethUrl, serverUrl, datadir, reads, seconds] = process.argv.slice(2)
const batchSize = 100
/** Every so many batches one goes through the server. */
const serverTurn = 4
const leastStates = 1_000

const chain = await openDatadir(datadir)
const catalog = new ChainCatalog()
const counts = {
  reads: 0,
  byServer: 0,
  refreshes: 0,
  blocks: 0,
  same: 0,
  state: 0,
  unavailable: 0,
  refused: 0,
}
const end = Date.now() + Number(seconds) * 1_000

try {
  const isEnough = () => counts.reads >= Number(reads) && counts.state >= leastStates
  for (let turn = 0; !isEnough() && Date.now() < end; turn++) {
    await learn()
    const requests = Array.from({ length: batchSize }, () => catalog.random())
    const expected = await whenIndexed(() => postText(gethUrl, toBatch(requests)))
    if (turn % serverTurn === 0) await compareServer(requests, expected)
    else await compareLibrary(requests, JSON.parse(expected))
    counts.reads += batchSize
  }
} finally {
  await chain.close()
}
console.log(JSON.stringify({ ...counts, transactions: catalog.transactions.length }))

/** Takes a newer view and adds its blocks to the catalog; each must be geth's. */
async function learn() {
  if (await chain.refresh()) counts.refreshes++
  const head = Number(await chain.getBlockNumber())
  // The head is in the log a moment before geth answers with it.
  while (Number(await ask(gethUrl, 'eth_blockNumber')) < head) await sleep(5)
  while (catalog.blocks.length <= head) {
    const number = `0x${catalog.blocks.length.toString(16)}`
    const block = await ask(gethUrl, 'eth_getBlockByNumber', number, true)
    const receipts = await ask(gethUrl, 'eth_getBlockReceipts', number)
    const request = { method: 'eth_getBlockByNumber', params: [number, true] }
    compare(request, { result: await chain.provider.request(request) }, { result: block })
    catalog.add(block, receipts)
    counts.blocks++
    counts.reads++
  }
}

async function compareLibrary(requests, answers) {
  for (const [i, request] of requests.entries()) {
    compare(request, await answerOf(() => readLibrary(request)), answers[i])
  }
}

/** Half of the state is read by the typed API, everything else through the provider. */
async function readLibrary({ method, params }) {
  if (method === 'eth_getBalance' && Math.random() < 0.5) {
    return `0x${(await chain.getBalance({ address: params[0], blockNumber: BigInt(params[1]) })).toString(16)}`
  }
  if (method === 'eth_getStorageAt' && Math.random() < 0.5) {
    return chain.getStorageAt({ address: params[0], slot: params[1], blockNumber: BigInt(params[2]) })
  }
  return chain.provider.request({ method, params })
}

/** Byte for byte. The server looks for news by itself: it is asked again where it does not know the newest block yet. */
async function compareServer(requests, expected) {
  const newest = Math.max(...requests.map(({ number }) => number))
  while (Number(await ask(serverUrl, 'eth_blockNumber')) < newest) await sleep(20)
  const answer = withoutTotalDifficulty(await postText(serverUrl, toBatch(requests)))
  counts.byServer += requests.length
  if (answer.trim() === expected.trim()) return
  const [ours, theirs] = [JSON.parse(answer), JSON.parse(expected)]
  const outcomes = requests.map((request, i) => compare(request, ours[i], theirs[i]))
  if (outcomes.some((outcome) => outcome === 'unavailable' || outcome === 'refused')) return
  throw new Error(`the server's bytes differ from geth's: ${JSON.stringify(toBatch(requests))}`)
}

function compare(request, found, expected) {
  const outcome = compareAnswers(request, found, expected)
  counts[outcome]++
  return outcome
}
