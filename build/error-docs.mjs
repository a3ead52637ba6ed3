// Writes docs/errors.md from the error tables of the built server and from what is said here of each code: when it comes, what to do,
// and an example. `npm run docs` runs it; test/error-docs.test.ts checks that the page is complete and that its examples are texts of the source.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { errorCodes } from '../dist/errors.js'
import {
  errorAnswers,
  executionErrors,
  httpErrors,
  logErrorAnswers,
  rpcErrors,
  webSocketCloses,
} from '../dist/rpc/error-table.js'

/**
 * What the page says of each code of the library. `example` is a message of the source, in which `<…>` stands for a fact; `facts` are
 * the members of `error.facts` that such an error can have.
 */
export const codeHelp = {
  NOT_A_DATADIR: {
    when: 'At opening: the path does not exist, is empty, is the directory of another client, or has no `geth/chaindata`.',
    what: 'Give the directory that geth has as `--datadir`, the `geth` folder in it, or its `chaindata`. The message names what was found instead.',
    facts: ['path'],
    example: '<path> is empty; expected <directory>',
  },
  PERMISSION_DENIED: {
    when: 'At opening, or at the first read of a file that belongs to another user. geth makes its `geth` folder for its own user alone.',
    what: 'Run as the user of geth, or grant read access: [deployment](deployment.md#beside-a-node) has the command. `geth-reader doctor` looks at every file.',
    facts: ['path', 'table', 'root'],
    example:
      'no permission to read <path>, since <path> belongs to user <uid> and this is user <uid>; run as a user who may read it, or grant this user read access',
  },
  UNSUPPORTED_ENGINE: {
    when: 'At opening, if the option `engine` names an engine that does not read this store.',
    what: 'Leave the option out: the engine is detected.',
    facts: ['path', 'engine', 'available'],
    example:
      '<directory> is written by <engine>, which the engine <engine> does not read; leave the engine to be detected',
  },
  UNSUPPORTED_FORMAT: {
    when: 'A newer geth has written the file, or a chain that is not geth’s the record.',
    what: 'Look for a newer version of geth-reader. If there is none, report the message.',
    facts: ['path', 'table', 'key', 'item', 'expected', 'found'],
    example: 'transaction type <type> is not known, only 0 to 4',
  },
  VIEW_UNSTABLE: {
    when: 'geth has deleted or replaced a file that the view needs, more often than the request was retried, or it has replaced blocks in the range of a scan.',
    what: 'Run the request again: a newer view is taken. A scan that ends at a final block is not replaced.',
    facts: ['path', 'table', 'block', 'blockHash', 'expected', 'offset'],
    example: '<path> no longer has the <head> items of this view: geth rewound the chain; take a new view',
  },
  NO_SPACE: {
    when: 'The engine `classic-level` has no space for its links, or an export none for its files.',
    what: 'Free space, or point `TMPDIR` at a larger file system. The built-in engine writes nothing.',
    facts: ['path'],
    example: 'no room left for the view at <path>; free space there or point TMPDIR at a larger file system',
  },
  RESOURCE_EXHAUSTED: {
    when: 'The system refuses a file descriptor, a thread or memory. DuckDB reports its own memory limit in the same way.',
    what: 'Raise the limit that the message names (`ulimit -n` for descriptors), or use fewer workers.',
    facts: ['path', 'limit'],
    example:
      'no file descriptor left <subject> in this process<limit>; close files or raise the limit (ulimit -n)',
  },
  DAMAGED: {
    when: 'A checksum, a hash, a root or a length does not fit: a disk that fails, a copy that was made file by file while geth ran, or a fault of geth-reader.',
    what: 'Run `geth-reader verify`, which finds all damage of this kind. Other records can still be read. Start geth once if the message says that it repairs the table.',
    facts: ['path', 'table', 'key', 'block', 'blockHash', 'item', 'offset', 'expected', 'found', 'root'],
    example: 'the canonical header of block <number> is missing',
  },
  MISSING_FILE: {
    when: 'A file is gone, or the freezer is elsewhere.',
    what: 'If geth runs with `--datadir.ancient`, give the same here. A file-by-file copy of a running node is never complete: [copy from a snapshot](deployment.md#snapshots-of-volumes).',
    facts: ['path', 'table', 'block', 'item'],
    example:
      '<ancient> holds no frozen blocks, and block 1 is not in chaindata either; if the freezer was moved, name its directory (--datadir.ancient, option ancient)',
  },
  HISTORY_PRUNED: {
    when: 'Bodies or receipts below the history cutoff are asked for: `geth --history.chain postmerge`, `geth prune-history`, or a directory of era files that begins later.',
    what: 'Ask from `facts.earliest` on, or add era files: `--datadir.era`, [concepts](concepts.md#pruned-history).',
    facts: ['block', 'earliest', 'path', 'table'],
    example: 'the <table> of block <number> are pruned; the directory holds those from block <earliest> on',
  },
  STATE_UNAVAILABLE: {
    when: 'A balance, a slot, a call or a trace needs a state that geth did not store, or has only in its memory. Proofs need trie nodes, which not every layout has.',
    what: '`facts.available` and `geth-reader inspect` say which states are there. `--replay.blocks` makes states after one of these: [layouts of state](concepts.md#layouts-of-state).',
    facts: ['root', 'block', 'available', 'reason', 'key', 'limit', 'item', 'table'],
    example: 'historical state <root> is not available',
  },
  BLOCK_NOT_FOUND: {
    when: 'A state, a trace or logs of a block are asked for whose number is above the head or whose hash is unknown. Methods that return the block itself give `undefined`.',
    what: 'Call `refresh()` if geth may have written it meanwhile. Ask for a tag if you want the newest.',
    facts: ['block', 'blockHash'],
    example: 'block <block> is not in this directory',
  },
  NOT_CANONICAL: {
    when: 'A request over JSON-RPC names a block of another branch by its hash, with `requireCanonical`.',
    what: 'Ask for the canonical block of its number, or leave out `requireCanonical`.',
    facts: ['block', 'blockHash'],
    example: 'hash is not currently canonical',
  },
  BRANCH_UNKNOWN: {
    when: 'A follower continues after a block that was dropped, and geth has deleted its header.',
    what: 'What was dropped cannot be known: start again, or from a copy whose cursor is a final block. [Following](following.md#continue-after-a-restart) says when it happens.',
    facts: ['block', 'blockHash'],
    example: 'block <number> with hash <hash> is not canonical, and its header is not in this directory',
  },
  INDEX_INCOMPLETE: {
    when: 'A transaction is asked for by hash, is not in geth’s index, and may be in a block that is not indexed.',
    what: 'Ask by block and index, or let geth index more: `geth --history.transactions 0`. If geth runs with that flag, give `--history.transactions` the same value.',
    facts: ['key', 'found', 'earliest', 'path', 'blockHash', 'limit'],
    example:
      '<path> has no index of block hashes, and more than the <limit> blocks that are searched for <hash>; ask for the block by its number',
  },
  INVALID_RANGE: {
    when: 'A range of blocks begins or ends above the head, or ends before it begins.',
    what: 'Ask for the range in `facts.available`, or leave out `toBlock`.',
    facts: ['block', 'available'],
    example: 'toBlock: expected at most the head, <head>, got <block>',
  },
  TOO_MANY_RESULTS: {
    when: 'A log query over JSON-RPC, or a dump of state, has more results than the plan of the key allows.',
    what: 'Ask for the range in `data`, or in `facts.fromBlock` and `facts.toBlock`, and then for the rest. `scanLogs` of the library has no limit.',
    facts: ['limit', 'fromBlock', 'toBlock'],
    example: 'query returned more than <limit> results',
  },
  DEADLINE_EXCEEDED: {
    when: 'A call, a trace or a log query ran longer than it may: 5 s for a call, `timeoutMilliseconds` in the library, the plan of the key in the service.',
    what: 'Ask for less, or raise the limit.',
    facts: ['limit'],
    example: 'execution aborted (timeout = <duration>)',
  },
  QUEUE_FULL: {
    when: 'More tasks wait for a worker than may wait.',
    what: 'Send fewer requests at a time, or try again later. More workers help if processors are idle.',
    facts: ['limit'],
    example: '<count> tasks wait for a worker already',
  },
  WORKER_FAILED: {
    when: 'A worker thread ended twice in the same task, for instance without memory.',
    what: 'Look at the cause in the log. If memory is not short, please report it.',
    facts: [],
    example: 'the worker of task <name> died twice: <cause>',
  },
  MISSING_PACKAGE: {
    when: 'SQL, or an engine that few use, needs a package that is not installed with geth-reader.',
    what: 'Run the command in the message.',
    facts: [],
    example: 'SQL needs <package>, which <reason>; install it: <command>',
  },
  ABORTED: {
    when: 'Your `signal` was aborted.',
    what: 'Nothing: the reason of the signal is the `cause`.',
    facts: [],
    example: 'the operation was aborted',
  },
  CLOSED: {
    when: 'A method is called after `close()`, or `close()` ended it.',
    what: 'Close when all work is done. Open the directory again if you need it.',
    facts: ['path'],
    example: 'the data directory was closed',
  },
  UNSUPPORTED_FORK: {
    when: 'A call or a trace in a block whose fork is newer than Osaka, or on a chain with rules of its own. Blocks and logs can still be read.',
    what: 'Look for a newer version of geth-reader. Nothing is ever computed by the rules of another fork.',
    facts: ['block', 'expected', 'found'],
    example:
      'the chain config has <fork>, and the rules of that fork, which is active in block <number>, are not supported',
  },
  CALL_REJECTED: {
    when: 'A call cannot begin: not enough funds for value and gas, a fee below the base fee, less gas than the intrinsic gas, arguments that make no transaction.',
    what: 'The text is geth’s and says which. A call without fees and value needs no funds.',
    facts: [],
    example: 'err: <reason> (supplied gas <gas>)',
  },
  CALL_FAILED: {
    when: 'The top frame ended with an exception, such as `out of gas` or `invalid opcode`, or a result is larger than its limit.',
    what: 'The text is geth’s and says which. `traceCall` shows where.',
    facts: ['gasUsed', 'limit'],
    example: 'the call needs more memory than the limit of <size> MiB',
  },
  CALL_REVERTED: {
    when: 'The contract reverted.',
    what: 'Decode `facts.data` with the ABI: viem’s `decodeErrorResult`. The text has the reason if it is a `require` text or a panic.',
    facts: ['data', 'gasUsed'],
    example: 'execution reverted: <reason>',
  },
}

/** What to do about the errors of a JSON-RPC code. */
export const rpcHelp = {
  '-32700': 'Send JSON.',
  '-32600': 'Correct the request.',
  '-32601':
    'Look at [the list of methods](json-rpc.md). `debug`, `trace` and `txpool` are off unless `--http.api` names them.',
  '-32602':
    'Correct the parameters: the text names the one that is wrong. A range above the head has this code, too.',
  '-32603':
    'The log of the server has the cause with its path, which clients never see. Faults of the directory have this code.',
  '-32000': 'The text says why, as geth’s does. Most errors from the directory have this code.',
  '-32001': 'Ask the operator for a key and put it into the path: `/v3/KEY`.',
  '-32002': 'Ask for less at a time.',
  '-32003': 'Make the batch smaller.',
  '-32005':
    'Wait (`Retry-After` says how long if it is there), send fewer requests at a time, or ask for less. A log query with too many results has this code, too: see [TOO_MANY_RESULTS](#too_many_results).',
}

const code = (text) => (text === '' ? '' : `\`${text}\``)

function table(...rows) {
  const [top = [], ...rest] = rows.map((row) => row.map(String))
  const line = (row) => `| ${row.join(' | ')} |`
  return [line(top), line(top.map(() => '---')), ...rest.map(line)].join('\n')
}

function rpcSection(number) {
  const rows = Object.values(rpcErrors).filter((row) => row.code === number)
  return [
    `### ${number}`,
    rpcHelp[number],
    table(
      ['text', 'HTTP', 'meaning'],
      ...rows.map((row) => [code(row.message), row.status ?? 200, row.meaning]),
    ),
  ].join('\n\n')
}

function codeSection([name, { when, what, facts, example }]) {
  const { code: number, message } = errorAnswers[name]
  const answer = typeof message === 'string' ? `\`${message}\`` : 'with a text of its own'
  return [
    `### ${name}`,
    `${errorCodes[name].replace(/^./, (letter) => letter.toUpperCase())}.`,
    [
      `- When: ${when}`,
      `- What to do: ${what}`,
      `- Example: \`${example}\``,
      `- Facts: ${facts.length === 0 ? 'none' : facts.map((fact) => `\`${fact}\``).join(', ')}`,
      `- JSON-RPC: ${number} ${answer}`,
    ].join('\n'),
  ].join('\n\n')
}

const numbers = [...new Set(Object.values(rpcErrors).map((row) => row.code))].sort((a, b) => a - b)
const links = Object.keys(codeHelp).map((name) => `[${name}](#${name.toLowerCase()})`)

/** The text of docs/errors.md. */
export function errorPage() {
  return `# Errors

Every error of the library, of JSON-RPC and of the server, written by \`npm run docs\` from \`src/errors.ts\` and
\`src/rpc/error-table.ts\`. \`<…>\` stands for a fact.

## Errors of the library

The library and the command line throw a \`GethReaderError\` with a \`code\`, a message and \`facts\`. Codes are stable, messages
are not. Wrong arguments are a \`TypeError\` or a \`RangeError\` that names the argument. Paths and keys are left out of JSON-RPC; they are in the log.

${links.join(', ')}

${Object.entries(codeHelp).map(codeSection).join('\n\n')}

## JSON-RPC

WebSocket messages have no HTTP status. The status of a batch is 200 unless all of it is refused for the same reason.

${numbers.map(rpcSection).join('\n\n')}

Log queries answer ${Object.entries(logErrorAnswers)
    .map(([name, { code: number, message }]) => `${code(name)} with ${number} ${code(String(message))}`)
    .join(', and ')}.

\`TOO_MANY_RESULTS\` has \`data\` in the form of Infura: \`{"from": "0x1", "limit": 10000, "to": "0x2f"}\`. \`from\` to \`to\` is the
longest beginning of the range that was found to fit. There is no \`data\` if the first block alone has too many logs, and for
a query by block hash. Some clients (viem, alloy) take -32005 for a rate limit and send the same query again: ask for the
range in \`data\` instead. \`CALL_REVERTED\` has the payload of the revert as \`data\`, \`INDEX_INCOMPLETE\` its text.

### From execution

With the texts of geth.

${table(
  ['code', 'meaning'],
  ...Object.values(executionErrors).map(({ code: number, meaning }) => [number, meaning]),
)}

## HTTP without JSON

${table(
  ['HTTP', 'text', 'meaning'],
  ...Object.values(httpErrors).map((row) => [row.status, code(row.text), row.meaning]),
)}

## WebSocket closes

${table(
  ['code', 'reason', 'meaning'],
  ...Object.values(webSocketCloses).map((row) => [row.code, code(row.reason), row.meaning]),
)}

A WebSocket ends without a code if no pong comes, or if the client reads nothing, for 30 seconds.
`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(join(fileURLToPath(new URL('..', import.meta.url)), 'docs/errors.md'), errorPage())
}
