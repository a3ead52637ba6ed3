// Compares what clients have heard with the chain that geth has in the end, and with what geth said to the same clients.
import { ask } from '../geth-node.mjs'
import {
  chainOfBlocks,
  chainOfHeads,
  logsLeft,
  missingBlocks,
  missingFrom,
  textOf,
  unknownLogs,
  wrongLogs,
} from './check-events.mjs'

/** The chain and its logs from `start + 1` to `end`, and all blocks that clients have heard of. */
export async function readTruth({ url, blocks: known }, { start, end, clients }) {
  const hashes = new Map()
  // geth deletes blocks that it has dropped.
  const blocks = new Map(known)
  const read = async (method, parameter) => {
    const block = await ask(url, method, parameter, false)
    if (block) blocks.set(block.hash, { number: Number(block.number), parent: block.parentHash })
    return block
  }
  for (let number = start + 1; number <= end; number++) {
    hashes.set(number, (await read('eth_getBlockByNumber', `0x${number.toString(16)}`)).hash)
  }
  for (const { name, events } of clients) {
    for (const { stream, hash } of events) {
      if (hash === undefined || blocks.has(hash)) continue
      if (!(await read('eth_getBlockByHash', hash)))
        throw new Error(`${name}, ${stream}: geth has no block ${hash}`)
    }
  }
  const range = { fromBlock: `0x${(start + 1).toString(16)}`, toBlock: `0x${end.toString(16)}` }
  const logs = (await ask(url, 'eth_getLogs', range)).map(
    ({ blockHash, logIndex }) => `${blockHash}/${Number(logIndex)}`,
  )
  return { start, end, hashes, logs, blockOf: (hash) => blocks.get(hash) }
}

/** Whether an event is about a block that counts. The files may show the block before the first of them late. */
function isWithin({ start, end, blockOf }) {
  return ({ hash, number: given }) => {
    const number = given ?? blockOf(hash).number
    return number > start && number <= end
  }
}

/** What watchBlocks and watchLogs have yielded: a line, and faults. */
export function checkLibrary({ events }, truth) {
  const of = (stream) => events.filter((event) => event.stream === stream)
  const blocks = chainOfBlocks(of('blocks'), truth)
  const logs = logsLeft(of('logs').filter(isWithin(truth)), truth)
  const finalized = of('finalized')
  const isRightlyFinal = finalized.every(
    ({ number, hash }, i) =>
      (i === 0 || number > finalized[i - 1].number) &&
      (!truth.hashes.has(number) || truth.hashes.get(number) === hash),
  )
  const faults = [
    ...blocks.faults,
    ...missingBlocks(blocks.chain, truth),
    ...logs.faults,
    ...wrongLogs(logs.logs, truth),
    ...(isRightlyFinal ? [] : ['a block is not final']),
  ].map((fault) => `library: ${fault}`)
  const line =
    `watchBlocks: ${truth.hashes.size} canonical blocks each once, ${blocks.reorganisations} reorganisations with the right ` +
    `ancestor, up to ${blocks.deepest} blocks deep, ${finalized.length} times final; watchLogs: ${logs.logs.length} logs`
  return { line, faults }
}

/** What one client has heard from our service and from geth: a line, and faults. */
export function compareClient({ name, ours, ofGeth }, truth) {
  const faults = []
  const counts = []
  const isCounted = isWithin(truth)
  for (const stream of new Set([...ours, ...ofGeth].map((event) => event.stream))) {
    const fault = (texts) => faults.push(...texts.map((text) => `${name}, ${stream}: ${text}`))
    const [found, expected] = [ours, ofGeth].map((events) =>
      events.filter((event) => event.stream === stream && isCounted(event)),
    )
    if (stream.startsWith('log')) {
      const { faults: wrong, logs } = logsLeft(found, truth)
      const unknown = unknownLogs(expected, found)
      fault([...wrong, ...wrongLogs(logs, truth)])
      if (unknown > 0) fault([`${unknown} logs are not geth's, or come in another order`])
      // If the chain is shortened, geth sends the logs of its head a second time.
      const again = logsLeft(expected, truth).faults.length
      counts.push(`${stream} ${found.length} of ${expected.length - again}`)
      continue
    }
    if (stream === 'heads' || stream === 'block filter') {
      const { faults: wrong, chain } = chainOfHeads(found, truth)
      // A filter says nothing if a chain is shortened.
      fault([...(stream === 'heads' ? wrong : []), ...missingBlocks(chain, truth)])
    }
    // If geth switches to another branch it reports the last of its blocks alone.
    const unseen = missingFrom(found.map(textOf), expected.map(textOf))
    const which =
      unseen === 0 ? `all ${expected.length}` : `${expected.length - unseen} of ${expected.length}`
    counts.push(`${stream} ${found.length}, with ${which} of geth`)
  }
  return { line: `${name}: ${counts.join('; ')}`, faults }
}

/** Milliseconds from geth's notice of a head to ours, in ascending order. */
export function delaysOf(ours, ofGeth) {
  const first = new Map()
  for (const { stream, hash, at } of ofGeth) if (stream === 'heads' && !first.has(hash)) first.set(hash, at)
  const delays = []
  const seen = new Set()
  for (const { stream, hash, at } of ours) {
    if (stream !== 'heads' || seen.has(hash) || !first.has(hash)) continue
    seen.add(hash)
    delays.push(at - first.get(hash))
  }
  return delays.sort((a, b) => a - b)
}
