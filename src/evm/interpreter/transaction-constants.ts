// The words that stay the same through all frames of a transaction, by the opcode that pushes them.
import type { ChainConfig } from '../../types/chain-config.js'
import type { BlockContext } from '../block-context.js'
import type { Machine } from '../core/machine.js'
import type { Message } from '../message.js'

/** Where the words come from. */
export interface TransactionConstants {
  readonly message: Message
  readonly block: BlockContext
  readonly config: ChainConfig
}

/** Gives the machine the words of the block and of the transaction. */
export function loadConstants(machine: Machine, { message, block, config }: TransactionConstants): void {
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
