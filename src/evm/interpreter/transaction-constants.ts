// The words that are the same in all frames of a transaction, by the opcode that pushes them.
import type { Machine } from '../core/machine.js'
import type { MessageContext } from '../message.js'

/** Gives the machine the words of the block and of the transaction. */
export function loadConstants(
  machine: Machine,
  { message, block, config, rules }: Pick<MessageContext, 'message' | 'block' | 'config' | 'rules'>,
): void {
  machine.setConstantBytes(0x32, message.from) // ORIGIN
  machine.setConstant(0x3a, message.gasPrice)
  machine.setConstantBytes(0x41, block.coinbase)
  machine.setConstant(0x42, block.timestamp)
  machine.setConstant(0x43, block.number)
  // An override can set a random value for a block before London. It has no effect there, as in geth.
  if (rules.merge && block.prevRandao !== undefined) machine.setConstantBytes(0x44, block.prevRandao)
  else machine.setConstant(0x44, block.difficulty)
  machine.setConstant(0x45, block.gasLimit)
  machine.setConstant(0x46, config.chainId)
  machine.setConstant(0x48, block.baseFee ?? 0n)
  machine.setConstant(0x4a, block.blobBaseFee ?? 0n)
}
