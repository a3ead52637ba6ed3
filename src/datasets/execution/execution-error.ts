// Errors of executions name the datasets that need them, and the block.
import { GethReaderError } from '../../errors.js'

/** An error about the execution of a block, or about the state before it, for the caller of an export. */
export function executionError(error: unknown, block: number, datasets: readonly string[]): unknown {
  if (!(error instanceof GethReaderError) || error.code === 'ABORTED') return error
  const { code, message, facts } = error
  const place = message.startsWith(`block ${block}`) ? '' : `block ${block}: `
  const text = `${datasets.join(', ')}: ${place}${message}`
  return new GethReaderError(code, text, { block: BigInt(block), ...facts, cause: error })
}
