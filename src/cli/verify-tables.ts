// verify --tables: reads every block of every table of the key-value store, its MANIFEST and its write-ahead logs.
import { locateDatadir } from '../datadir/locate.js'
import { openTableStore } from '../ethdb/table-store.js'
import type { Check, CheckContext, CheckResult } from './check.js'
import { formatBytes } from './format-bytes.js'

export const tablesCheck: Check = {
  name: 'tables',
  description: 'checksums and key order of every table, log and MANIFEST of the key-value store',
  run: verifyTables,
}

async function verifyTables({ flags, progress, signal, report }: CheckContext): Promise<CheckResult> {
  const { chaindata } = locateDatadir(flags.datadir, { ancient: flags['datadir.ancient'] })
  // Opening reads the MANIFEST and the logs to their ends, and throws if they are damaged.
  const store = openTableStore(chaindata)
  try {
    const { manifest, logs, logBytes, tableBytes } = store.describe()
    progress.start('tables', tableBytes, formatBytes)
    const { tables, skipped, blocks, entries, bytes } = await store.verifyTables({
      signal,
      onProgress: (done) => progress.update(done.bytes),
      onDamage: report,
    })
    const inLogs = logs.reduce((sum, log) => sum + log.entries, 0)
    const summary = [
      `${manifest.name}: ${formatBytes(manifest.bytes)}`,
      `logs: ${logs.length} with ${inLogs} entries, ${formatBytes(logBytes)}`,
      `tables: ${tables} with ${entries} entries in ${blocks} blocks, ${formatBytes(bytes)}`,
      ...(skipped > 0 ? [`${skipped} more tables were compacted away by the node meanwhile`] : []),
    ].join('\n')
    const facts = { tables, skipped, blocks, entries, bytes, logs: logs.length, logEntries: inLogs, logBytes }
    return { summary, facts: { ...facts, manifestBytes: manifest.bytes } }
  } finally {
    await store.close()
  }
}
