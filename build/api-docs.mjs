// Writes docs/api.md from the declarations in dist/, which `npm run build` makes from the TSDoc in src/.
// `npm run docs` runs it; test/api-docs.test.ts checks that the page is complete.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The sections of the page: each exported name belongs to one of them. */
const sections = [
  {
    title: 'Opening a directory',
    text: 'A path is enough. All other options have defaults.',
    names: [
      'openDatadir',
      'OpenDatadirOptions',
      'DatadirOptions',
      'ReplayOptions',
      'ReplayProgress',
      'defaultDatadir',
      'KeyValueEngine',
      'Logger',
    ],
  },
  {
    title: 'The chain',
    text: 'Everything that an open directory answers. Arguments and results have the shapes of viem.',
    names: ['GethChain', 'CallOptions', 'TraceLimits'],
  },
  {
    title: 'Arguments',
    text: 'A member that is not listed is refused with a `TypeError`.',
    names: [
      'Hex',
      'BlockTag',
      'BlockParameters',
      'BlockRangeParameters',
      'LogFilterParameters',
      'LogRangeParameters',
      'CallParameters',
      'AccessListParameters',
      'MulticallParameters',
      'SimulateBlocksParameters',
      'BlockOfCallsParameters',
      'FeeHistoryParameters',
      'TransactionPlace',
      'AccessListItem',
      'SignedAuthorization',
      'StateOverrideEntry',
      'BlockOverridesParameters',
    ],
  },
  {
    title: 'Results',
    text: 'An absent thing is `undefined`. Only members for which viem has `null` are `null`.',
    names: [
      'Block',
      'BlockHeader',
      'Transaction',
      'TransactionTypeName',
      'Withdrawal',
      'Log',
      'TransactionReceipt',
      'AccountProof',
      'StorageProof',
      'MulticallResult',
      'FinishedCall',
      'CreatedAccessList',
      'SimulatedBlockResult',
      'SimulatedCallResult',
      'FeeHistory',
    ],
  },
  {
    title: 'Traces',
    text: 'Tracers are those of geth, with its names. `traceTransaction`, `traceBlock` and `traceCall` take one, `scanTraces` a set.',
    names: [
      'TracerChoice',
      'TracerName',
      'TracerTypes',
      'TracerSet',
      'NoOptions',
      'TraceOf',
      'TracesOf',
      'ResultOf',
      'TransactionTrace',
      'TraceOptions',
      'CallTrace',
      'TracedLog',
      'FlatTraceOptions',
      'FlatCallTrace',
      'PrestateOptions',
      'PrestateTrace',
      'PrestateDiff',
      'PrestateAccount',
      'StructLogOptions',
      'StructLogTrace',
      'StructLog',
      'ValidationTraceOptions',
      'ValidationTrace',
    ],
  },
  {
    title: 'Scans',
    text: 'A scan is an async iterable that reads when the loop asks for more. `break` ends it and releases what it holds.',
    names: [
      'ScanLogsOptions',
      'LogScan',
      'LogBatch',
      'LogColumns',
      'ScanProgress',
      'LogScanStats',
      'ScanStats',
      'LogCount',
      'LogPlan',
      'LogPlanStep',
      'LogSource',
      'BuildLogIndexParameters',
      'LogIndexProgress',
      'VerifyLogIndexParameters',
      'LogIndexVerifyProgress',
      'LogIndexReport',
      'LogIndexFault',
      'PrunedLogIndexSegment',
      'LogIndex',
      'ScanBlocksOptions',
      'ScannedBlock',
      'ScanStateOptions',
      'StateScanProgress',
      'ScannedAccount',
      'ScannedSlot',
      'ScanTracesOptions',
      'TraceScanProgress',
      'BlockTraces',
    ],
  },
  {
    title: 'Datasets as columns',
    text: 'Batches of `scanDataset`. `toArrow` of `geth-reader/arrow` makes record batches of apache-arrow of them, without a copy.',
    names: [
      'ScanDatasetParameters',
      'ScanDatasetOptions',
      'DatasetScanProgress',
      'DatasetBatch',
      'ColumnBatch',
      'Column',
      'ColumnType',
      'ColumnValues',
      'toArrow',
    ],
  },
  {
    title: 'Exports',
    text: 'Datasets as files. `geth-reader datasets` lists them with their columns.',
    names: [
      'ExportParameters',
      'StateExportParameters',
      'ExportOptions',
      'ExportProgress',
      'ExportResult',
      'PlannedChunk',
      'ExportStreamParameters',
      'FollowExportParameters',
      'FollowExportOptions',
      'FollowedExport',
      'ExportStreamOptions',
      'FileFormat',
      'StreamFormat',
      'Compression',
      'U256Form',
      'AbiEvent',
      'ColumnSchema',
      'AbiInput',
    ],
  },
  {
    title: 'SQL',
    text: 'Queries over the same datasets, with DuckDB.',
    names: ['SqlOptions', 'SqlQueryRun', 'SqlRow', 'SqlScan', 'SqlColumn', 'SqlValue'],
  },
  {
    title: 'Following the head',
    text: 'An async iterable without an end: what is there, then what geth writes. `break` or the signal ends it.',
    names: [
      'FollowOptions',
      'FollowEvent',
      'FollowedBlock',
      'ReorgEvent',
      'FinalizedEvent',
      'WatchBlocksOptions',
      'WatchedBlock',
      'BlockEvent',
      'WatchLogsOptions',
      'WatchedLogs',
      'LogsEvent',
      'RemovedLog',
      'LogReorgEvent',
    ],
  },
  {
    title: 'What a directory holds',
    text: '`getInfo()` returns these shapes.',
    names: [
      'DatadirInfo',
      'BlockPoint',
      'BlockRange',
      'StateRange',
      'StateLayout',
      'StateScheme',
      'FreezerTableInfo',
      'TableStoreDescription',
      'LevelDescription',
      'WriteAheadLogDescription',
    ],
  },
  {
    title: 'The provider',
    text: '`chain.provider` answers the JSON-RPC methods of the server in this process. Notifications of `eth_subscribe` are `message` events.',
    names: ['Eip1193Provider', 'ProviderRequest', 'ProviderRpcError', 'ProviderEvents', 'ProviderMessage'],
  },
  {
    title: 'Errors',
    text: 'Wrong arguments throw `TypeError` or `RangeError`. Everything else throws a `GethReaderError`.',
    names: ['GethReaderError', 'GethReaderErrorOptions', 'errorCodes', 'ErrorCode', 'ErrorFacts'],
  },
  {
    title: 'The server',
    text: 'Import these from `geth-reader/server`. [operations.md](operations.md) has the settings in use, [errors.md](errors.md) the errors that clients get.',
    names: [
      'createServer',
      'GethServer',
      'ServerOptions',
      'Limits',
      'defaultLimits',
      'Certificate',
      'parseServiceConfig',
      'checkServiceConfig',
      'ServiceConfig',
      'PlanConfig',
      'KeyConfig',
      'FailoverConfig',
      'ConfigError',
      'ConfigMistake',
    ],
  },
]

const entries = ['dist/index.d.ts', 'dist/arrow.d.ts', 'dist/server/geth-server.d.ts']

/** Each exported name of the package with the declaration file that owns it. */
export function publicNames() {
  const found = new Map()
  for (const entry of entries) {
    const text = read(entry)
    for (const [, names, target] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
      const owner = join(dirname(entry), target.replace(/\.js$/, '.d.ts'))
      for (const [, name] of names.matchAll(/(\w+)(?:,|\s*$)/g)) found.set(name, owner)
    }
    for (const [, name] of text.matchAll(declaredName)) found.set(name, entry)
  }
  return found
}

const declaredName = /^export (?:declare )?(?:interface|type|class|function|const) (\w+)/gm

/** TSDoc and code of a declaration, which ends with a line that starts with `}` and opens no brace, or with the first `;`. */
export function declarationOf(name, file) {
  const lines = read(file).split('\n')
  const start = lines.findIndex((line) => declaredNameOf(line) === name)
  if (start < 0) throw new Error(`${file} does not declare ${name}`)
  const isBlock = lines[start].endsWith('{')
  const length = lines
    .slice(start)
    .findIndex((line) => (line.startsWith('}') && !line.endsWith('{')) || (!isBlock && line.endsWith(';')))
  const hasDoc = lines[start - 1]?.endsWith('*/')
  const docStart = lines.findLastIndex((line, i) => i < start && line.startsWith('/**'))
  return {
    doc: hasDoc ? plainText(lines.slice(docStart, start)) : '',
    code: tidy(lines.slice(start, start + length + 1)),
  }
}

function declaredNameOf(line) {
  return [...line.matchAll(declaredName)][0]?.[1]
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

/** The sentences of a TSDoc comment. */
function plainText(lines) {
  return lines
    .map((line) =>
      line
        .trim()
        .replace(/^\/\*\*\s?/, '')
        .replace(/\s*\*\/$/, '')
        .replace(/^\*\s?/, ''),
    )
    .join('\n')
    .replace(/^@example$/gm, 'For example:\n')
    .replace(/^@(\w+) /gm, (_, tag) => (tag === 'throws' ? 'Throws ' : `${tag}: `))
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .trim()
}

/** A declaration without `export`, `declare`, private members and semicolons, indented by two spaces. */
function tidy(lines) {
  return lines
    .filter((line) => !/^ {4}(?:#private|private constructor\(\));$/.test(line))
    .map((line) => line.replace(/^(?: {4})+/, (indent) => ' '.repeat(indent.length / 2)))
    .map((line) => (/^ *\/?\*/.test(line) ? line : line.replace(/;$/, '')))
    .join('\n')
    .replace(/^export (?:declare )?/, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
}

function sectionText({ title, text, names }) {
  const owners = publicNames()
  const parts = names.map((name) => {
    const owner = owners.get(name)
    if (owner === undefined) throw new Error(`the package does not export ${name}`)
    const { doc, code } = declarationOf(name, owner)
    return [`### ${name}`, doc, `\`\`\`ts\n${code}\n\`\`\``].filter((part) => part !== '').join('\n\n')
  })
  return [`## ${title}`, text, ...parts].join('\n\n')
}

const introduction = `# API

The whole public surface of the package, written by \`npm run docs\` from the TSDoc in the source. There are three entries:
\`geth-reader\`, the library; \`geth-reader/server\`, the JSON-RPC server; \`geth-reader/arrow\`, which needs apache-arrow. A name that is not on this page is internal.

## Conventions

- **Units.** Block numbers, wei and gas are \`bigint\`. Positions and nonces are \`number\`. Times are in the unit that the name
  says; timestamps are seconds since 1970. Hashes, addresses and bytes are \`0x\` hex, except in \`LogColumns\`.
- **Ranges.** \`fromBlock\` and \`toBlock\` are both included. A range beyond the head throws \`INVALID_RANGE\`.
- **State.** State at a block is the state after all of the block's transactions. The default is the head.
- **Absent or unknown.** A thing that does not exist is \`undefined\`, or zero as in geth. If the directory cannot say
  whether it exists, the method throws.
- **Options.** Every function takes one object of what to read and one of how: \`signal\` cancels with \`ABORTED\`, \`limit\`
  bounds results, \`order\` is \`ascending\` or \`descending\`, \`onProgress\` reports.
- **Examples.** \`chain\` is an open directory, \`token\` the address of a contract, \`folder\` the path of a folder outside of the directory, \`cert\` and \`key\` texts of PEM files. A test runs them all.
- **Consistency.** A method reads one snapshot of the directory. \`refresh\` takes a newer one; methods in flight are not
  affected.

## Stability

From version 1.0 the package follows semantic versioning. Names, types, defaults and error codes on this page change only
in a major version, and each change is in CHANGELOG.md. New optional members and new error codes can come in a minor
version. Texts of errors, figures in \`stats\` and the choice between equal plans of a scan can change at any time. Before
1.0 a minor version may change any name.`

/** The text of docs/api.md. */
export function apiPage() {
  return `${[introduction, ...sections.map(sectionText)].join('\n\n')}\n`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(join(root, 'docs/api.md'), apiPage())
}
