// Entry of the EVM core: what ../machine.ts sees. No managed objects, no imports: addresses and numbers only.
import { CONSTANTS, EXCHANGE, OPCODES } from './layout'

export { keccakAbsorb, keccakFinish, keccakStart } from '../../../kernel/assembly/keccak'
export { blake2Finish, blake2Rounds, blake2Start } from './blake2f'
export { run } from './interpreter'
export { analyseJumps } from './jumps'
export { expandMemory } from './memory-gas'

/** Addresses of the tables in layout.ts. */
export function opcodesAddress(): usize {
  return OPCODES
}

export function constantsAddress(): usize {
  return CONSTANTS
}

export function exchangeAddress(): usize {
  return EXCHANGE
}

/** First address behind the core's own tables: the memory from here on is the host's. */
export function arenaStart(): usize {
  return __heap_base
}
