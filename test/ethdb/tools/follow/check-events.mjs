// What the events of a client must say about a chain, whatever the client: each canonical block once, nothing dropped that was
// not there, and nothing of geth's missing that the files have shown.

/**
 * The chain that a stream of heads makes: each follows the one before, or a block of the chain made so far, whose later blocks
 * are dropped. Blocks up to `start` are taken as known. `blockOf` gives number and parent of a block by hash.
 */
export function chainOfHeads(heads, { start, blockOf }) {
  const faults = []
  const chain = new Map()
  let last
  for (const { hash } of heads) {
    const { number, parent } = blockOf(hash)
    if (hash === last) faults.push(`head ${number} ${hash} came twice`)
    const isKnown = number - 1 <= start || chain.get(number - 1) === parent || chain.get(number) === hash
    if (!isKnown) faults.push(`head ${number} ${hash} follows ${parent}, which is not in the chain`)
    truncate(chain, number)
    chain.set(number, hash)
    last = hash
  }
  return { faults, chain }
}

/** The same of the events of watchBlocks, which say what was dropped. */
export function chainOfBlocks(events, { start }) {
  const faults = []
  const chain = new Map()
  let reorganisations = 0
  let deepest = 0
  let ancestor
  for (const event of events) {
    if (event.ancestor === undefined) {
      const { number, hash, parent } = event
      if (chain.has(number)) faults.push(`block ${number} ${hash} came while ${chain.get(number)} was there`)
      const before = ancestor?.hash ?? chain.get(number - 1)
      if (number - 1 > start && before !== parent) faults.push(`block ${number} ${hash} follows ${parent}`)
      chain.set(number, hash)
      ancestor = undefined
      continue
    }
    reorganisations++
    ;({ ancestor } = event)
    deepest = Math.max(deepest, event.dropped.length)
    const tail = [...chain].sort(([a], [b]) => b - a).slice(0, event.dropped.length)
    const isTail = event.dropped.every(
      ({ number, hash }, i) => tail[i]?.[0] === number && tail[i]?.[1] === hash,
    )
    if (!isTail)
      faults.push(
        `${event.dropped.length} blocks above ${ancestor.number} were dropped that are not the newest`,
      )
    truncate(chain, ancestor.number + 1)
    if (ancestor.number > start && chain.get(ancestor.number) !== ancestor.hash)
      faults.push(`the ancestor ${ancestor.number} ${ancestor.hash} is not in the chain`)
  }
  return { faults, chain, reorganisations, deepest }
}

function truncate(chain, from) {
  for (const number of chain.keys()) if (number >= from) chain.delete(number)
}

const keyOf = ({ hash, index }) => `${hash}/${index}`

/** Logs that a stream leaves, by block and index; what it removes must be there, but for blocks up to `start`. */
export function logsLeft(events, { start }) {
  const faults = []
  const live = new Map()
  for (const log of events) {
    const key = keyOf(log)
    if (log.removed) {
      if (!live.delete(key) && log.number > start) faults.push(`log ${log.number} ${key} was removed twice`)
    } else if (live.has(key)) faults.push(`log ${log.number} ${key} came twice`)
    else live.set(key, log)
  }
  return { faults, logs: [...live.values()].filter(({ number }) => number > start).map(keyOf) }
}

/** An event as a text that tells it from others. */
export const textOf = ({ number, hash, index, removed, receipts }) =>
  [number, hash, index, removed, receipts].filter((value) => value !== undefined).join(' ')

/**
 * Logs of ours that geth has not sent, or not in this order. Blocks that geth drops in two steps may be dropped in one: the order
 * of removed logs is free.
 */
export function unknownLogs(theirs, ours) {
  const texts = (logs, isRemoved) => logs.filter(({ removed }) => removed === isRemoved).map(textOf)
  const removed = new Set(texts(theirs, true))
  return (
    missingFrom(texts(theirs, false), texts(ours, false)) +
    texts(ours, true).filter((text) => !removed.has(text)).length
  )
}

/** How many of `part` are not in `whole` in the same order. */
export function missingFrom(whole, part) {
  let at = 0
  let missing = 0
  for (const each of part) {
    const found = whole.indexOf(each, at)
    if (found < 0) missing++
    else at = found + 1
  }
  return missing
}

/** Canonical blocks that a chain lacks. */
export function missingBlocks(chain, { hashes }) {
  const missing = [...hashes].filter(([number, hash]) => chain.get(number) !== hash)
  return missing.length === 0
    ? []
    : [`${missing.length} canonical blocks are missing, such as ${missing[0][0]}`]
}

/** Whether the logs that are left are those of the canonical chain, in its order or not. */
export function wrongLogs(left, { logs }) {
  const [found, expected] = [new Set(left), new Set(logs)]
  const missing = logs.filter((log) => !found.has(log)).length
  const wrong = left.filter((log) => !expected.has(log)).length
  return missing + wrong === 0 ? [] : [`${missing} canonical logs are missing, ${wrong} are not canonical`]
}
