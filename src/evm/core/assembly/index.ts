// Exports of the EVM core, for ../machine.ts: functions on addresses and numbers, without managed objects.
import { CONSTANTS, EXCHANGE, OPCODES } from './layout'

export { keccakAbsorb, keccakFinish, keccakStart } from '../../../kernel/assembly/keccak'
export { blake2Finish, blake2Rounds, blake2Start } from './blake2f'
export { run, step } from './interpreter'
export { analyseJumps } from './jumps'
export { expandMemory } from './memory-gas'
export { powerContinue, powerFinish, powerPlace, powerStart, powerStride } from './power'
export { ripemd160Absorb, ripemd160Finish, ripemd160Start } from './ripemd160'

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

/** First address after the core's own tables. The memory from here on belongs to the host. */
export function arenaStart(): usize {
  return __heap_base
}
