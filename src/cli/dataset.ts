// geth-reader dataset: checks and commits a folder that `geth-reader export` has written.
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import { hexToBytes } from '../bytes.js'
import { checkDeep } from '../datasets/deep-check.js'
import {
  commitFolder,
  type ExportedDataset,
  fileProblems,
  manifestProblems,
  missingFiles,
  readExports,
  strayFiles,
} from '../datasets/export-folder.js'
import { throwIfAborted } from '../stop.js'
import { CommandFailure } from './exit.js'
import { wrapHelp } from './help-text.js'
import { interruptible } from './interruption.js'

export function datasetCommand(): Command {
  const command = new Command('dataset').description('Check or commit a folder of exported datasets')
  command
    .command('verify')
    .description('Check hashes, rows and the chain of blocks of all files; exit code 1 if anything is wrong')
    .argument('<dir>', 'folder of an export')
    .addOption(new Option('--against <datadir>', 'also compare block hashes with a data directory'))
    .addOption(
      new Option(
        '--deep',
        'also rebuild headers, transactions and receipts from the rows, and compare hashes and roots',
      ),
    )
    .addHelpText('after', wrapHelp(deepHelp))
    .action((folder: string, { against, deep = false }: { against?: string; deep?: boolean }) =>
      interruptible((signal) => verifyFolder(folder, { against, deep, signal })),
    )
  command
    .command('commit')
    .description('Check that chunks have no gap and join, then write _manifest/index.json and _SUCCESS')
    .argument('<dir>', 'folder of an export')
    .action(commit)
  return command
}

const deepHelp = `
--deep needs blocks with all columns, or --against, for the roots; transactions with all columns; and logs together with receipts or
transactions. Transactions with access lists, blobs or authorizations, which are not columns, are counted and not proven.`

interface VerifyOptions {
  readonly against: string | undefined
  readonly deep: boolean
  readonly signal: AbortSignal
}

/** The datasets of a folder, and what is wrong with their manifests and with the names of files. */
function checkFolder(folder: string): { exports: readonly ExportedDataset[]; problems: string[] } {
  const problems: string[] = []
  const exports = readExports(folder, (problem) => problems.push(problem))
  problems.push(...manifestProblems(exports), ...strayFiles(folder, exports))
  return { exports, problems }
}

async function verifyFolder(folder: string, { against, deep, signal }: VerifyOptions): Promise<void> {
  const { exports, problems } = checkFolder(folder)
  const manifests = exports.flatMap(({ manifests }) => manifests)
  for (const manifest of manifests) {
    // Lets a signal in between two files.
    await new Promise(setImmediate)
    throwIfAborted(signal)
    problems.push(...fileProblems(folder, manifest))
  }
  if (against !== undefined) problems.push(...(await chainProblems(exports, against, signal)))
  // Rows of files that are damaged or missing cannot be read.
  const proof = deep && problems.length === 0 ? await proveRows(folder, exports, { against, signal }) : []
  if (problems.length > 0) throw new CommandFailure(problems.join('\ngeth-reader: '))
  console.log(
    `${manifests.length} files of ${exports.map(({ dataset }) => dataset).join(', ')} are as their manifests say`,
  )
  for (const line of proof) console.log(line)
}

/** What is proven from the rows, and what is not. Throws CommandFailure if rows are wrong, or nothing can be proven. */
async function proveRows(
  folder: string,
  exports: readonly ExportedDataset[],
  { against, signal }: Omit<VerifyOptions, 'deep'>,
): Promise<string[]> {
  await using chain = against === undefined ? undefined : await openDatadir({ path: against, signal })
  const { problems, proven, notes } = await checkDeep(folder, exports, {
    ...(chain && {
      rootsOf: async (block: number) => {
        const header = await chain.getHeader({ blockNumber: BigInt(block) })
        return (
          header && {
            transactions: hexToBytes(header.transactionsRoot),
            receipts: hexToBytes(header.receiptsRoot),
          }
        )
      },
    }),
    async pause() {
      await new Promise(setImmediate)
      throwIfAborted(signal)
    },
  })
  const unproven = notes.map((note) => `not proven: ${note}`)
  if (problems.length > 0) throw new CommandFailure(problems.join('\ngeth-reader: '))
  if (proven.headers + proven.transactions + proven.receipts === 0)
    throw new CommandFailure(['nothing can be proven from these files', ...unproven].join('\ngeth-reader: '))
  return [
    `proven: ${proven.headers} headers, transactions of ${proven.transactions} blocks, receipts and logs of ${proven.receipts} blocks`,
    ...unproven,
  ]
}

/** Chunks whose first or last block is not one of the directory. */
async function chainProblems(
  exports: readonly ExportedDataset[],
  datadir: string,
  signal: AbortSignal,
): Promise<string[]> {
  await using chain = await openDatadir({ path: datadir, signal })
  const problems: string[] = []
  for (const { dataset, manifests } of exports) {
    for (const { from_block, to_block, parent_hash, last_hash } of manifests) {
      throwIfAborted(signal)
      const [first, last] = [from_block, to_block].map((number) =>
        chain.getHeader({ blockNumber: BigInt(number) }),
      )
      const place = `${dataset} ${from_block} to ${to_block}`
      const { parentHash } = (await first) ?? {}
      const { hash } = (await last) ?? {}
      if (parentHash !== parent_hash)
        problems.push(
          `${place}: its parent is ${parent_hash}, in the directory ${parentHash ?? 'no such block'}`,
        )
      if (hash !== last_hash)
        problems.push(`${place}: it ends with ${last_hash}, in the directory ${hash ?? 'no such block'}`)
    }
  }
  return problems
}

function commit(folder: string): void {
  const { exports, problems } = checkFolder(folder)
  problems.push(...missingFiles(folder, exports))
  if (problems.length > 0) throw new CommandFailure(problems.join('\ngeth-reader: '))
  commitFolder(folder, exports)
}
