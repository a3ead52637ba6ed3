// Reads a directory while the process has no file descriptor left, and again after it has some; one line of JSON for each.
import { closeSync, openSync } from 'node:fs'
import { openDatadir } from '../../../dist/index.js'

const [path] = process.argv.slice(2)
const nobody = `0x${'11'.repeat(20)}`
const reads = {
  block: (chain) => chain.getBlock({ blockNumber: 3n }),
  logs: (chain) => chain.getLogs({ fromBlock: 0n }),
  calls: (chain) => chain.multicall({ calls: [{ to: nobody }] }),
  accounts: async (chain) => {
    for await (const _ of chain.scanAccounts());
  },
  refresh: (chain) => chain.refresh(),
  open: async () => (await openDatadir(path)).close(),
}

const chain = await openDatadir({ path, workers: 1 })
const taken = []
try {
  for (;;) taken.push(openSync('/dev/null'))
} catch {
  await tell('without')
}
for (const descriptor of taken) closeSync(descriptor)
await tell('with')
await chain.close()

async function tell(word) {
  const outcomes = {}
  for (const [name, read] of Object.entries(reads)) {
    outcomes[name] = await read(chain).then(
      () => 'answered',
      ({ code, facts }) => ({ code, limit: facts?.limit }),
    )
  }
  console.log(word, JSON.stringify(outcomes))
}
