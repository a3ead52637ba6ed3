// verify --era: reads every record of every era file, and compares it with the headers and the accumulators.
import { setImmediate } from 'node:timers/promises'
import { verifyEraFile } from '../chain/verify-era.js'
import { locateDatadir } from '../datadir/locate.js'
import { GethReaderError } from '../errors.js'
import { openView } from '../view/view.js'
import type { Check, CheckContext, CheckResult } from './check.js'

/** Blocks between two looks at Ctrl-C. */
const blocksAtOnce = 256

export const eraCheck: Check = {
  name: 'era',
  description: 'every block, checksum and accumulator of the era files of pruned history',
  run: verifyEra,
}

async function verifyEra({ flags, progress, signal, report }: CheckContext): Promise<CheckResult> {
  const { datadir, 'datadir.ancient': ancient, 'datadir.era': era } = flags
  const view = await openView(locateDatadir(datadir, { ancient, era }), {})
  try {
    const [files, chain] = [view.db.era, view.chain]
    let [count, blocks] = [0, 0]
    for (const epoch of files?.epochs() ?? []) {
      count++
      try {
        const file = files!.file(epoch)!
        progress.start(file.path, file.end - file.first, String)
        for (const number of verifyEraFile(file, (number) => chain.canonicalHash(number))) {
          blocks++
          if (blocks % blocksAtOnce !== 0) continue
          progress.update(number - file.first)
          await setImmediate()
          signal.throwIfAborted()
        }
      } catch (error) {
        if (!(error instanceof GethReaderError)) throw error
        report(error)
      }
    }
    const where = files === undefined ? 'no freezer' : files.directory
    return {
      summary: `era files in ${where}: ${count} with ${blocks} blocks`,
      facts: { eraFiles: count, eraBlocks: blocks },
    }
  } finally {
    await view.close()
  }
}
