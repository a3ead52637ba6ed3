// The words that stay the same through all frames of a transaction, by the opcode that pushes them.
import type { Execution } from './execution.js'

/** Gives the machine the words of the block and of the transaction. */
export function loadConstants({ machine, message, block, config }: Execution): void {
  machine.setConstantBytes(0x32, message.from) // ORIGIN
  machine.setConstant(0x3a, message.gasPrice)
  machine.setConstantBytes(0x41, block.coinbase)
  machine.setConstant(0x42, block.timestamp)
  machine.setConstant(0x43, block.number)
  if (block.prevRandao === undefined) machine.setConstant(0x44, block.difficulty)
  else machine.setConstantBytes(0x44, block.prevRandao)
  machine.setConstant(0x45, block.gasLimit)
  machine.setConstant(0x46, config.chainId)
  machine.setConstant(0x48, block.baseFee ?? 0n)
  machine.setConstant(0x4a, block.blobBaseFee ?? 0n)
}
