// Makes the rows of `eth_calls`, and runs the calls of other datasets.
import { GethReaderError } from '../../errors.js'
import { keccak256 } from '../../kernel/keccak.js'
import type { Header } from '../../types/header.js'
import { runEvmNow } from '../../view/run-evm.js'
import type { RowBuilder } from '../row-builder.js'
import { onDatasetState } from '../state-of-block.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'
import { headersAlone, type StateContext } from './state-context.js'

/** Gas of a call in multiples of the block's gas limit: by the head's limit the same rows would change as the chain grows. */
const gasMultiple = 10n

/**
 * The output of eth_call on the state after a block; undefined if the call reverts or fails. Throws CALL_REJECTED for one that
 * cannot be run, NotLoadedError, and what reading a state throws.
 */
export function callContract(
  { view, signal }: StateContext,
  header: Header,
  call: { readonly to: Uint8Array; readonly input: Uint8Array },
): Uint8Array | undefined {
  signal.throwIfAborted()
  const request = { call, header, gasCap: gasMultiple * header.gasLimit, timeoutMilliseconds: 0 }
  try {
    return runEvmNow(view, { name: 'call', request }, signal).output
  } catch (error) {
    const hasFailed =
      error instanceof GethReaderError && (error.code === 'CALL_REVERTED' || error.code === 'CALL_FAILED')
    if (hasFailed) return undefined
    throw error
  }
}

export function ethCallsProducer(rows: RowBuilder, context: StateContext): Producer {
  const { dataset, view, selection } = context
  const place = blockColumns(rows)
  const contract = rows.column('contract_address', 'binary')
  const callData = rows.column('call_data', 'binary')
  const callDataHash = rows.column('call_data_hash', 'binary')
  const outputData = rows.column('output_data', 'binary')
  const outputDataHash = rows.column('output_data_hash', 'binary')
  return {
    needs: headersAlone,
    append(block) {
      const { header } = block.stored
      onDatasetState(view, { dataset, header }, () => {
        for (const to of selection.contracts) {
          for (const input of selection.callData) {
            const output = callContract(context, header, { to, input })
            place(block)
            contract?.append(to)
            callData?.append(input)
            callDataHash?.append(keccak256(input))
            if (output === undefined) {
              outputData?.appendNull()
              outputDataHash?.appendNull()
            } else {
              outputData?.append(output)
              outputDataHash?.append(keccak256(output))
            }
            rows.endRow()
          }
        }
      })
    },
  }
}
