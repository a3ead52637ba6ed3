// `npm run live -- --follow`: watchBlocks and newHeads beside a geth that writes a block a second, compared with geth's own
// block filter: every block once and in order, and how long after geth each arrives.
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatadir } from '../../../dist/index.js'
import { createServer } from '../../../dist/server/geth-server.js'
import { ask, sleep, startGeth } from './geth-node.mjs'

const { WebSocket } = createRequire(import.meta.url)('ws')

/** Between two questions to geth: how exactly the arrival of its blocks is known. */
const pollMilliseconds = 10

/** Follows for so many seconds. Returns whether nothing is missing, out of order or twice. */
export async function followLive(geth, { engine, seconds }) {
  const datadir = mkdtempSync(join(tmpdir(), 'geth-reader-follow-'))
  const node = await startGeth(geth, { engine, scheme: 'path', datadir })
  let chain
  let server
  try {
    chain = await openWhenWritten(datadir)
    server = createServer(chain, { port: 0 })
    await server.listen()
    return await compare(node, { chain, server, engine, seconds })
  } finally {
    await server?.close()
    await chain?.close()
    await node.kill()
    rmSync(datadir, { recursive: true, force: true })
  }
}

/** Pebble writes the first blocks to its log some time after geth answers. */
async function openWhenWritten(path) {
  for (;;) {
    try {
      return await openDatadir({ path, workers: 1 })
    } catch (error) {
      if (error.code !== 'NOT_A_DATADIR') throw error
      await sleep(100)
    }
  }
}

async function compare(node, { chain, server, engine, seconds }) {
  const seen = { geth: new Map(), watchBlocks: new Map(), newHeads: new Map() }
  const order = { watchBlocks: [], newHeads: [] }
  const note = (who, hash) => {
    seen[who].set(hash, performance.now())
    order[who]?.push(hash)
  }
  const ending = new AbortController()
  const watching = (async () => {
    for await (const event of chain.watchBlocks({ signal: ending.signal })) {
      if (event.type === 'block') note('watchBlocks', event.block.hash)
    }
  })().catch((error) => {
    if (error.code !== 'ABORTED') throw error
  })
  const socket = new WebSocket(server.url.replace('http', 'ws'))
  await new Promise((resolve) => socket.once('open', resolve))
  socket.on('message', (data) => {
    const { params } = JSON.parse(data)
    if (params) note('newHeads', params.result.hash)
  })
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  const filter = await ask(node.url, 'eth_newBlockFilter')
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    for (const hash of await ask(node.url, 'eth_getFilterChanges', filter)) note('geth', hash)
    await sleep(pollMilliseconds)
  }
  // The last block of geth may be on its way.
  await sleep(3_000)
  ending.abort()
  await watching
  socket.close()
  const expected = [...seen.geth.keys()]
  // Pebble holds the newest blocks in memory for a while: what the files have shown must be what geth wrote.
  const isSame = (found) => {
    const from = found.indexOf(expected[0])
    const shown = found.slice(from, from + expected.length)
    return from >= 0 && shown.every((hash, i) => hash === expected[i])
  }
  let isRight = true
  for (const who of ['watchBlocks', 'newHeads']) {
    const isOnce = new Set(order[who]).size === order[who].length
    const shown = expected.filter((hash) => seen[who].has(hash))
    const delays = shown.map((hash) => seen[who].get(hash) - seen.geth.get(hash)).sort((a, b) => a - b)
    const median = delays[Math.floor(delays.length / 2)]
    isRight &&= isOnce && isSame(order[who])
    console.log(
      `${engine} ${who}: ${shown.length} of ${expected.length} blocks, ${isOnce && isSame(order[who]) ? 'each once and in order' : 'NOT THE SAME'}, ` +
        `median ${median?.toFixed(0)} ms after geth, last ${delays.at(-1)?.toFixed(0)} ms`,
    )
  }
  return isRight
}
