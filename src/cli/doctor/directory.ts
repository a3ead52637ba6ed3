// What the doctor says of a directory: what is in it, whether geth runs on it, and what can be read from it.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BlockRange } from '../../view/available-states.js'
import type { DatadirInfo } from '../../view/datadir-info.js'
import { formatBytes } from '../format-bytes.js'
import { type Finding, note, ok, type Section } from './finding.js'
import { permissionFinding } from './permissions.js'

/** `now` is in seconds since 1970. */
export function directorySections(info: DatadirInfo, now: number): Section[] {
  return [
    {
      title: 'directory',
      findings: [...layout(info), permissionFinding(info), age(info, now), ...node(info)],
    },
    {
      title: 'what can be read',
      findings: [blocks(info), transactions(info), logs(info), states(info), proofs(info)],
    },
  ]
}

function layout({
  chaindata,
  keyValueStore,
  ancient,
  freezer,
  stateScheme,
  chainId,
}: DatadirInfo): Finding[] {
  const { engine, bytes, files } = keyValueStore
  const store = engine === 'era' ? 'era files alone' : `${engine}, ${formatBytes(bytes)} in ${files} files`
  const frozen = freezer?.tables.reduce((sum, table) => sum + table.bytes, 0) ?? 0
  return [
    ok('chain', `${chainId}, ${stateScheme === undefined ? 'no state' : `${stateScheme} scheme`}`),
    ok('database', `${store} in ${chaindata}`),
    freezer === undefined
      ? note('freezer', `none in ${ancient}`, 'if geth runs with --datadir.ancient, give the same here')
      : ok('freezer', `blocks below ${freezer.end}, ${formatBytes(frozen)} in ${ancient}`),
  ]
}

function age({ head }: DatadirInfo, now: number): Finding {
  const seconds = Math.max(0, now - Number(head.timestamp))
  const text = `block ${head.number}, ${formatAge(seconds)} old`
  const hour = 3_600
  return seconds < hour
    ? ok('head', text)
    : note('head', text, 'geth does not run on it, is syncing, or has not written for a while')
}

function formatAge(seconds: number): string {
  const units = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ] as const
  const [size, name] = units.find(([size]) => seconds >= 2 * size) ?? [1, 'seconds']
  return `${Math.floor(seconds / size)} ${name}`
}

/** Whether geth runs on the directory: on Linux by the lock that it holds, elsewhere by its mark of unclean stops. */
function node({ chaindata, uncleanShutdowns, stateScheme }: DatadirInfo): Finding[] {
  const isLocked = isLockedFile(join(chaindata, 'LOCK'))
  const isRunning = isLocked ?? uncleanShutdowns.length > 0
  if (isRunning) {
    const where =
      stateScheme === 'path'
        ? 'its newest states are in its memory'
        : 'its newest states may be in its memory'
    return [ok('geth', `runs on it${isLocked ? '' : ', or was killed'}; ${where}`)]
  }
  return uncleanShutdowns.length > 0
    ? [note('geth', 'does not run, and was killed or crashed: its newest states may be lost')]
    : [ok('geth', 'does not run')]
}

/** Whether a process holds a lock on a file, by the list of the kernel. Undefined on other systems than Linux. */
function isLockedFile(path: string): boolean | undefined {
  try {
    const { ino } = statSync(path)
    return new RegExp(`:${ino} \\d+ (?:EOF|\\d+)$`, 'm').test(readFileSync('/proc/locks', 'latin1'))
  } catch {
    return undefined
  }
}

function blocks({ available, eraFiles }: DatadirInfo): Finding {
  const { fromBlock } = available.bodies
  const text = `${rangeText(available.bodies)}, with receipts and logs`
  if (fromBlock === 0n) return ok('blocks', text)
  const era = eraFiles?.blocks.map(rangeText).join(', ') || undefined
  return note(
    'blocks',
    era === undefined ? `${text}; older ones are pruned` : `${text}; era files have ${era}`,
    era === undefined
      ? `era files of blocks 0 to ${fromBlock - 1n} can be added with --datadir.era`
      : undefined,
  )
}

function transactions({ available }: DatadirInfo): Finding {
  const index = available.transactionIndex
  if (index === undefined) {
    return note(
      'transactions',
      'cannot be found by hash: geth has no index of them',
      'ask by block and index instead',
    )
  }
  const text = `found by hash in blocks ${rangeText(index)}`
  return index.fromBlock <= available.bodies.fromBlock
    ? ok('transactions', text)
    : note('transactions', text, 'geth --history.transactions 0 indexes all; give the same flag here')
}

function logs({ logIndex, head, available, eraFiles }: DatadirInfo): Finding {
  const { filterMaps, bloomBits } = logIndex
  const index = filterMaps ?? bloomBits
  if (index === undefined) {
    return note(
      'logs',
      'found by the blooms of all headers',
      'geth-reader index build --out DIR makes rare logs fast',
    )
  }
  const name = filterMaps ? 'filter maps' : 'bloom bits'
  // The index has blocks whose receipts were pruned after it was built.
  const oldest = available.receipts.fromBlock
  const fromBlock = index.fromBlock < oldest ? oldest : index.fromBlock
  const isWhole = fromBlock === oldest && index.toBlock >= head.number - head.number / 100n
  const era = oldest > 0n && eraFiles ? ', and in era files' : ''
  const text = `found by geth's ${name} in blocks ${rangeText({ ...index, fromBlock })}${era}`
  return isWhole ? ok('logs', text) : note('logs', `${text}, else by the blooms of headers`)
}

function states({ available, head }: DatadirInfo): Finding {
  const { states } = available
  const text = states.map((range) => `${rangeText(range)} (${range.layout})`).join(', ')
  if (states.length === 0) {
    return {
      level: 'problem',
      subject: 'states',
      text: 'none on disk: balances and calls cannot be answered',
    }
  }
  if (states.some(({ toBlock }) => toBlock === head.number)) return ok('states', `after blocks ${text}`)
  return {
    level: 'problem',
    subject: 'states',
    text: `not of the head; after blocks ${text}`,
    advice: '--replay.blocks 1000 makes newer ones, --head state takes the newest of these as latest',
  }
}

function proofs({ available }: DatadirInfo): Finding {
  const { proofs } = available
  return proofs.length > 0
    ? ok('proofs', `after blocks ${proofs.map(rangeText).join(', ')}`)
    : note('proofs', 'none: no state on disk has its trie')
}

function rangeText({ fromBlock, toBlock }: BlockRange): string {
  return fromBlock === toBlock ? String(fromBlock) : `${fromBlock} to ${toBlock}`
}
