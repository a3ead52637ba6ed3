// geth-reader dataset: checks and commits a folder that `geth-reader export` has written.
import { Command, Option } from 'commander'
import { openDatadir } from '../api/open-datadir.js'
import {
  commitFolder,
  type ExportedDataset,
  fileProblems,
  manifestProblems,
  missingFiles,
  readExports,
} from '../datasets/export-folder.js'
import { throwIfAborted } from '../stop.js'
import { CommandFailure } from './exit.js'
import { interruptible } from './interruption.js'

export function datasetCommand(): Command {
  const command = new Command('dataset').description('Check or commit a folder of exported datasets')
  command
    .command('verify')
    .description('Check hashes, rows and the chain of blocks of all files; exit code 1 if anything is wrong')
    .argument('<dir>', 'folder of an export')
    .addOption(new Option('--against <datadir>', 'also compare block hashes with a data directory'))
    .action((folder: string, { against }: { against?: string }) =>
      interruptible((signal) => verifyFolder(folder, { against, signal })),
    )
  command
    .command('commit')
    .description('Check that chunks have no gap and join, then write _manifest/index.json and _SUCCESS')
    .argument('<dir>', 'folder of an export')
    .action(commit)
  for (const subcommand of command.commands) subcommand.exitOverride()
  return command
}

async function verifyFolder(
  folder: string,
  { against, signal }: { readonly against: string | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const exports = readExports(folder)
  const problems = manifestProblems(exports)
  const manifests = exports.flatMap(({ manifests }) => manifests)
  for (const manifest of manifests) {
    // Lets a signal in between two files.
    await new Promise(setImmediate)
    throwIfAborted(signal)
    problems.push(...fileProblems(folder, manifest))
  }
  if (against !== undefined) problems.push(...(await chainProblems(exports, against, signal)))
  if (problems.length > 0) throw new CommandFailure(problems.join('\ngeth-reader: '))
  console.log(
    `${manifests.length} files of ${exports.map(({ dataset }) => dataset).join(', ')} are as their manifests say`,
  )
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
  const exports = readExports(folder)
  const problems = [...manifestProblems(exports), ...missingFiles(folder, exports)]
  if (problems.length > 0) throw new CommandFailure(problems.join('\ngeth-reader: '))
  commitFolder(folder, exports)
}
