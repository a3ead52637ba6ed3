// geth-reader trace: prints the calls of a transaction, or of all transactions of a block, as trees.
import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import type { GethChain } from '../api/geth-chain.js'
import { openDatadir } from '../api/open-datadir.js'
import type { TransactionTrace } from '../api/trace-results.js'
import type { BlockParameters } from '../api/types.js'
import type { WrittenRange } from '../api/written-range.js'
import type { Hex } from '../bytes.js'
import { GethReaderError } from '../errors.js'
import type { CallTrace } from '../evm/engine.js'
import { type AbiDecoder, parseAbiJson } from './abi-decoder.js'
import { parseBlockRange } from './block-range.js'
import { treeLines } from './call-tree.js'
import { addDatadirOptions, type DatadirFlags, datadirOptions, integerFrom } from './datadir-options.js'
import { interruptible } from './interruption.js'
import { LineOutput } from './line-output.js'

interface TraceFlags extends DatadirFlags {
  readonly abi?: readonly string[]
  readonly json?: boolean
  readonly timeout: number
}

export function traceCommand(): Command {
  return addDatadirOptions(
    new Command('trace')
      .description('Print the calls of a transaction, or of the transactions of a block')
      .argument('<what>', 'hash of a transaction or a block, or a block (18_000_000, latest)'),
  )
    .addOption(new Option('--abi <file...>', 'JSON of ABIs, whose calls, errors and events get their names'))
    .addOption(new Option('--json', "print the traces of geth's callTracer"))
    .addOption(
      new Option('--timeout <seconds>', 'time for each transaction; 0 for no limit')
        .default(60)
        .argParser(integerFrom(0)),
    )
    .action((what: string, flags: TraceFlags) => interruptible((signal) => printTraces(what, flags, signal)))
}

type Traced = TransactionTrace<CallTrace>

async function printTraces(what: string, flags: TraceFlags, interruption: AbortSignal): Promise<void> {
  const abi = await readAbis(flags.abi ?? [])
  await using chain = await openDatadir({ ...datadirOptions(flags), signal: interruption })
  const output = new LineOutput()
  const signal = AbortSignal.any([interruption, output.gone])
  try {
    const found = await findTraces(chain, what, { signal, timeoutMilliseconds: flags.timeout * 1_000 })
    if (flags.json) {
      const { traces, isBlock } = found
      const json = isBlock ? traces : traces[0]!.result
      await output.line(JSON.stringify(json, null, 2))
    } else {
      const hasColors = process.stdout.isTTY === true && !process.env['NO_COLOR']
      for (const [i, { txHash, result }] of found.traces.entries()) {
        if (i > 0) await output.line('')
        await output.line(`transaction ${txHash} from ${result.from}`)
        for (const line of treeLines(result, { abi, hasColors })) await output.line(line)
      }
    }
    await output.flush()
  } catch (error) {
    if (!output.gone.aborted || interruption.aborted) throw error
  }
}

interface TraceLimits {
  readonly signal: AbortSignal
  readonly timeoutMilliseconds: number
}

/** The traces of what the argument names. Throws BLOCK_NOT_FOUND. */
async function findTraces(
  chain: GethChain,
  what: string,
  limits: TraceLimits,
): Promise<{ readonly traces: readonly Traced[]; readonly isBlock: boolean }> {
  const options = { ...limits, tracer: 'callTracer', tracerConfig: { withLog: true } } as const
  const isHash = /^0x[0-9a-f]{64}$/i.test(what)
  if (isHash) {
    const hash = what as Hex
    const result = await chain.traceTransaction({ hash }, options)
    if (result !== undefined) return { traces: [{ txHash: hash, result }], isBlock: false }
  }
  const block = isHash ? { blockHash: what as Hex } : blockNamed(what)
  const traces = await chain.traceBlock(block, options)
  if (traces === undefined) {
    const message = `${what} is ${isHash ? 'the hash of no transaction and of no block' : 'no block'} in this directory`
    throw new GethReaderError('BLOCK_NOT_FOUND', message)
  }
  return { traces, isBlock: true }
}

function blockNamed(text: string): BlockParameters {
  const { from } = writtenBlock(text)
  if (text.includes(':') || 'count' in from) throw new TypeError(`trace: expected one block, got ${text}`)
  return 'tag' in from ? { blockTag: from.tag } : { blockNumber: from.number }
}

function writtenBlock(text: string): WrittenRange {
  try {
    return parseBlockRange(text)
  } catch (error) {
    throw new TypeError(`trace: ${(error as Error).message}, or a hash`, { cause: error })
  }
}

/** One decoder for all files; undefined for none. */
async function readAbis(files: readonly string[]): Promise<AbiDecoder | undefined> {
  if (files.length === 0) return undefined
  const decoders: AbiDecoder[] = []
  for (const file of files) {
    try {
      decoders.push(parseAbiJson(await readFile(file, 'utf8')))
    } catch (error) {
      throw new TypeError(`--abi: ${file}: ${(error as Error).message}`, { cause: error })
    }
  }
  const first = (describe: (decoder: AbiDecoder) => string | undefined) => {
    for (const decoder of decoders) {
      const text = describe(decoder)
      if (text !== undefined) return text
    }
    return undefined
  }
  return {
    call: (input) => first((decoder) => decoder.call(input)),
    error: (output) => first((decoder) => decoder.error(output)),
    event: (topics, data) => first((decoder) => decoder.event(topics, data)),
  }
}
