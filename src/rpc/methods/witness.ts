// debug_executionWitness: what a program needs to execute a block without a state. Follows eth/api_debug.go; the work is done
// in a worker.
import { bytesToHex, quantity } from '../../bytes.js'
import type { HashedHeader } from '../../chain/block.js'
import { headJson } from '../encoding/head.js'
import { trieErrorAnswers } from '../error-table.js'
import { answerOtherwise, serverError } from '../json-rpc-error.js'
import { alwaysHeavy, method } from '../method.js'
import { type BlockArgument, decodeBlock } from '../parameters/block.js'
import { required } from '../parameters/parameter.js'
import { schemaOf } from '../schemas.js'
import { isPending, selectBlock } from './block-selection.js'

/** A block argument as geth prints it in error texts. */
function describe(argument: BlockArgument): string {
  if ('hash' in argument) return `{<nil> ${bytesToHex(argument.hash)} ${argument.requireCanonical}}`
  return `{${'tag' in argument ? argument.tag : quantity(argument.number)} <nil> false}`
}

/** The witness by name. */
export const witnessMethods = {
  debug_executionWitness: method({
    summary: 'What the execution of a block needs: ancestors, codes and trie nodes of the state before it',
    parameters: [required('block', 'Block', decodeBlock)],
    result: schemaOf('ExecutionWitness'),
    isHeavy: alwaysHeavy,
    runsOnWorkers: true,
    async run({ view, signal, limits }, argument) {
      if (isPending(argument)) throw serverError('pending block is not available')
      const found = view.chain.block(selectBlock(view, argument))
      if (found === undefined) throw serverError(`block ${describe(argument)} not found`)
      const { header, hash } = found
      const parent = view.chain.header({ hash: header.parentHash })
      if (parent === undefined) throw serverError(`block ${describe(argument)} found, but parent missing`)
      const { byzantiumBlock } = view.chain.config
      if (byzantiumBlock === undefined || BigInt(header.number) < byzantiumBlock) {
        throw serverError('there are no witnesses of blocks before Byzantium')
      }
      const input = { hash, parent: parent.header, limitCharacters: limits.traceBytes }
      const waiter = { signal, milliseconds: limits.traceMilliseconds }
      try {
        const { headers, codes, nodes } = await view.run('executionWitness', input, waiter)
        return [`{"headers":${listJson(headers)},"codes":`, codes, ',"state":', nodes, ',"keys":null}']
      } catch (error) {
        throw answerOtherwise(error, trieErrorAnswers(view.snapshot.states.scheme))
      }
    },
  }),
}

function listJson(headers: readonly HashedHeader[]): string {
  return `[${headers.map(headJson).join(',')}]`
}
