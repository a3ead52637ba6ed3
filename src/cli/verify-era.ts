// verify --era: reads every record of every era file, beside a freezer or in a folder of era files alone, and compares it with
// the headers and the accumulators.
import { setImmediate } from 'node:timers/promises'
import { hexToBytes } from '../bytes.js'
import { verifyEraFile } from '../chain/verify-era.js'
import { locateDatadir } from '../datadir/locate.js'
import { EraFiles } from '../era/era-files.js'
import { networkOfEraFile } from '../era/era-name.js'
import { GethReaderError } from '../errors.js'
import { knownChainNamed } from '../types/known-chains.js'
import { openView } from '../view/view.js'
import type { Check, CheckContext, CheckResult } from './check.js'

/** Blocks between two looks at Ctrl-C. */
const blocksAtOnce = 64

export const eraCheck: Check = {
  name: 'era',
  description: 'every block, checksum and accumulator of the era files of pruned history',
  run: verifyEra,
}

async function verifyEra(context: CheckContext): Promise<CheckResult> {
  const { datadir, 'datadir.ancient': ancient, 'datadir.era': era } = context.flags
  const paths = locateDatadir(datadir, { ancient, era })
  if (paths.isEraFolder) {
    using files = new EraFiles(paths.chaindata)
    return await verifyFiles(context, files, (number) => (number === 0 ? knownGenesis(files) : undefined))
  }
  const view = await openView(paths, {})
  try {
    const { db, chain } = view
    if (db.era !== undefined)
      return await verifyFiles(context, db.era, (number) => chain.canonicalHash(number))
    return { summary: 'era files: none, there is no freezer', facts: { eraFiles: 0, eraBlocks: 0 } }
  } finally {
    await view.close()
  }
}

/** Hash of the genesis block of the network that the files are named after, if geth knows it. */
function knownGenesis(files: EraFiles): Uint8Array | undefined {
  const known = knownChainNamed(networkOfEraFile(files.names()[0]!))
  return known && hexToBytes(known.genesisHash)
}

async function verifyFiles(
  { progress, signal, report }: CheckContext,
  files: EraFiles,
  canonicalHash: (number: number) => Uint8Array | undefined,
): Promise<CheckResult> {
  let [count, blocks] = [0, 0]
  /** The last block of the file before. */
  let last: { readonly number: number; readonly hash: Uint8Array } | undefined
  for (const epoch of files.epochs()) {
    count++
    try {
      const file = files.file(epoch)!
      progress.start(file.path, file.end - file.first, String)
      const parent = last?.number === file.first - 1 ? last.hash : undefined
      last = undefined
      const checked = verifyEraFile(file, canonicalHash, parent)
      let next = checked.next()
      for (; next.done !== true; next = checked.next()) {
        blocks++
        if (blocks % blocksAtOnce !== 0) continue
        progress.update(next.value - file.first)
        await setImmediate()
        signal.throwIfAborted()
      }
      last = { number: file.end - 1, hash: next.value }
    } catch (error) {
      if (!(error instanceof GethReaderError)) throw error
      report(error)
    }
  }
  return {
    summary: `era files in ${files.directory}: ${count} with ${blocks} blocks`,
    facts: { eraFiles: count, eraBlocks: blocks },
  }
}
