// Prints what a library hears of a chain, a line of JSON for each event, after a line that says it listens. Ends with its
// input. `node script-client.mjs raw|viem|ethers URL`, URL with http.
import { createRequire } from 'node:module'

const [library, url] = process.argv.slice(2)
const webSocketUrl = url.replace('http', 'ws')
const pollMilliseconds = 200
/** For one answer: viem's own limit of 10 s is short for a busy machine. */
const answerMilliseconds = 60_000

/** What a busy machine may answer to a request for changes; the next request gets them. */
const isPassing = ({ message }) => message.includes('query timeout exceeded')

const write = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const at = () => Math.round(performance.timeOrigin + performance.now())

/** A log as JSON-RPC has it. */
const writeLog = (stream) => (log) =>
  write({
    stream,
    number: Number(log.blockNumber),
    hash: log.blockHash,
    index: Number(log.logIndex ?? log.index),
    removed: log.removed,
  })

/** The messages as they come, and filters of blocks and logs. */
async function raw() {
  const { WebSocket } = createRequire(import.meta.url)('ws')
  const socket = new WebSocket(webSocketUrl)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const streams = new Map()
  const waiting = new Map()
  let requests = 0
  const ask = (method, ...params) =>
    new Promise((resolve, reject) => {
      waiting.set(++requests, { method, resolve, reject })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: requests, method, params }))
    })
  socket.on('message', (data) => {
    const { id, result, error, params } = JSON.parse(data)
    if (params === undefined) {
      if (error) waiting.get(id).reject(new Error(`${waiting.get(id).method}: ${error.message}`))
      else waiting.get(id).resolve(result)
      waiting.delete(id)
      return
    }
    const { subscription, result: news } = params
    // The answer to eth_subscribe may not have been looked at.
    setImmediate(() => streams.get(subscription)(news))
  })
  socket.on('close', (code) => {
    if (!isEnding) throw new Error(`closed with ${code}`)
  })
  const writeHead = ({ number, hash }) => write({ stream: 'heads', number: Number(number), hash, at: at() })
  const writeReceipts = (receipts) =>
    write({
      stream: 'receipts',
      number: Number(receipts[0].blockNumber),
      hash: receipts[0].blockHash,
      receipts: receipts.length,
    })
  streams.set(await ask('eth_subscribe', 'newHeads'), writeHead)
  streams.set(await ask('eth_subscribe', 'logs', {}), writeLog('logs'))
  streams.set(await ask('eth_subscribe', 'transactionReceipts'), writeReceipts)
  const blocks = await ask('eth_newBlockFilter')
  const logs = await ask('eth_newFilter', {})
  const pollOnce = async () => {
    for (const hash of await ask('eth_getFilterChanges', blocks)) write({ stream: 'block filter', hash })
    for (const log of await ask('eth_getFilterChanges', logs)) writeLog('log filter')(log)
  }
  // One after the other: geth may answer two requests in the other order.
  let polling = Promise.resolve()
  const poll = () => {
    polling = polling.then(pollOnce).catch((error) => {
      if (!isPassing(error)) throw error
    })
    return polling
  }
  const timer = setInterval(poll, pollMilliseconds)
  return async () => {
    clearInterval(timer)
    await poll()
    socket.close()
  }
}

async function viem() {
  const { createPublicClient, http, webSocket } = await import('viem')
  const hasFilter = filterWaiter()
  const transport = (options) => {
    const opened = http(url, { timeout: answerMilliseconds })(options)
    return { ...opened, request: (asked) => hasFilter.afterFilter(asked.method, opened.request(asked)) }
  }
  const webSocketOptions = { reconnect: false, timeout: answerMilliseconds }
  const pushed = createPublicClient({ transport: webSocket(webSocketUrl, webSocketOptions) })
  const polled = createPublicClient({ transport, pollingInterval: pollMilliseconds })
  const onError = (error) => {
    if (!isPassing(error)) throw error
  }
  const onLogs = (stream) => (logs) => logs.forEach(writeLog(stream))
  pushed.watchBlocks({
    // viem asks for the block of a head by its number; there may be none any more.
    onBlock: (block) =>
      block && write({ stream: 'watchBlocks', number: Number(block.number), hash: block.hash }),
    onError,
  })
  pushed.watchEvent({ onLogs: onLogs('logs'), onError })
  polled.watchEvent({ onLogs: onLogs('log filter'), onError })
  await hasFilter.promise
  await untilSubscribed(() => pushed.getBlockNumber())
}

/** ethers does not say which logs were removed, and asks for changes only when the number of the head has grown. */
async function ethers() {
  const { JsonRpcProvider, WebSocketProvider } = await import('ethers')
  const pushed = new WebSocketProvider(webSocketUrl)
  const polled = new JsonRpcProvider(url, undefined, { polling: false, pollingInterval: pollMilliseconds })
  const hasFilter = filterWaiter()
  const send = polled.send.bind(polled)
  polled.send = (method, params) => hasFilter.afterFilter(method, send(method, params))
  await pushed.on('block', (number) => write({ stream: 'numbers', number }))
  await pushed.on({ topics: [] }, writeLog('added logs'))
  await polled.on({ topics: [] }, writeLog('polled logs'))
  await hasFilter.promise
  await untilSubscribed(() => pushed.getBlockNumber())
}

/** Resolves after the answer to eth_newFilter. */
function filterWaiter() {
  let resolve
  const promise = new Promise((resolvePromise) => {
    resolve = resolvePromise
  })
  const afterFilter = async (method, answer) => {
    const result = await answer
    if (method === 'eth_newFilter') resolve()
    return result
  }
  return { promise, afterFilter }
}

/** Requests for subscriptions go the same way, before these. */
async function untilSubscribed(ask) {
  for (let i = 0; i < 5; i++) {
    await ask()
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds))
  }
}

let isEnding = false
const end = await { raw, viem, ethers }[library]()
write({ isReady: true })
process.stdin.resume()
process.stdin.once('end', async () => {
  isEnding = true
  await end?.()
  process.exit(0)
})
