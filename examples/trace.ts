// The calls of a transaction as a tree, with gas and errors.
// node trace.ts ~/.ethereum 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
import { type CallTrace, GethReaderError, type Hex, openDatadir } from 'geth-reader'

const [datadir, hash] = process.argv.slice(2)
if (datadir === undefined || hash === undefined) {
  console.error('usage: node trace.ts DATADIR TRANSACTION')
  process.exit(2)
}

function print({ type, to, gasUsed, input, error, calls = [] }: CallTrace, depth = 0): void {
  const selector = type.startsWith('CREATE') ? 'creation' : input.slice(0, 10)
  const outcome = error === undefined ? '' : `: ${error}`
  console.log(`${'  '.repeat(depth)}${type} ${to ?? ''} ${selector} ${Number(gasUsed)} gas${outcome}`)
  for (const call of calls) print(call, depth + 1)
}

const chain = await openDatadir(datadir)
try {
  const trace = await chain.traceTransaction({ hash: hash as Hex }, { tracer: 'callTracer' })
  if (trace === undefined) console.log('this chain has no such transaction')
  else print(trace)
} catch (error) {
  // A full node lacks most old states: the message names the nearest blocks that can be traced.
  if (!(error instanceof GethReaderError) || error.code !== 'STATE_UNAVAILABLE') throw error
  console.error(error.message, error.facts.available ?? '')
  process.exitCode = 1
} finally {
  await chain.close()
}
