// The interpreter loop: runs one frame until it ends, fails, or needs the host. An opcode that uses accounts,
// storage, logs or other frames is a host operation: its operands move from the stack to the exchange area, and run() is
// called again with the result. Follows geth core/vm/interpreter.go and instructions.go; gas and stack bounds come from OPCODES.
import * as Action from './action'
import { addModulo, divide, divideSigned, multiplyModulo, remainder, remainderSigned } from './divide'
import { isJumpDestination } from './jumps'
import { keccak256 } from '../../../kernel/assembly/keccak'
import {
  ADDRESS, CALLER, CODE, CODE_LENGTH, GAS, INPUT, INPUT_LENGTH, JUMP_MAP, MEMORY_BASE, MEMORY_SIZE, OUTPUT_LENGTH,
  OUTPUT_OFFSET, PC, RETURN_DATA_LENGTH, SLICE_END, STACK_BASE, STACK_POINTER, VALUE,
} from './header'
import { CONSTANTS, EXCHANGE, OPCODES, WORD } from './layout'
import { grow, grownSize, growthStatus } from './memory-gas'
import { multiply, power } from './multiply'
import { copyPadded, endAfter, regionEnd } from './regions'
import {
  HOST, INVALID_JUMP, INVALID_OPCODE, LONG_HASH, OUT_OF_GAS, RETURN, REVERT, STACK_OVERFLOW, STACK_UNDERFLOW, STEPPED, STOP,
  TICK, UNAFFORDABLE,
} from './status'
import {
  add, bitLength, copyWord, isBelow, isBelowSigned, isEqual, isNegative, isSmall, isZero, limb, readBigEndian,
  setSmall, setWord, shiftLeft, shiftRight, signExtend, subtract, writeBigEndian,
} from './word'

const CODECOPY: u8 = 0x39
const RETURN_OPCODE: u8 = 0xf3

/** Bytes that are hashed without a check of the clock: about 2 ms. */
const LONGEST_HASH: u64 = 1 << 19

/** Runs a frame from its current state; `hasResult` first pushes the first word of the exchange area. */
export function run(frame: usize, hasResult: bool): i32 {
  return loop<u32>(frame, hasResult)
}

/** Runs one opcode of a frame, and returns STEPPED if the frame can go on. Never returns TICK. */
export function step(frame: usize): i32 {
  return loop<bool>(frame, false)
}

/** The loop, compiled twice, so that single steps cost `run` nothing: `Mode` is bool for a single step. */
function loop<Mode>(frame: usize, hasResult: bool): i32 {
  const code = <usize>load<u32>(frame, CODE)
  const codeLength = load<u32>(frame, CODE_LENGTH)
  const base = <usize>load<u32>(frame, STACK_BASE)
  const memoryBase = <usize>load<u32>(frame, MEMORY_BASE)
  const sliceEnd = load<u64>(frame, SLICE_END)
  let memorySize = load<u32>(frame, MEMORY_SIZE)
  let pc = code + load<u32>(frame, PC)
  let sp = <usize>load<u32>(frame, STACK_POINTER) // one past the topmost word
  let gas = load<u64>(frame, GAS)
  let status: i32 = STOP
  if (hasResult) {
    readBigEndian(sp, EXCHANGE)
    sp += WORD
  }

  let isFirst = true
  while (true) {
    if (isBoolean<Mode>()) {
      if (!isFirst) {
        status = STEPPED
        break
      }
      isFirst = false
    }
    const opcode = load<u8>(pc)
    const entry = load<u64>(OPCODES + ((<usize>opcode) << 3))
    const depth = <u32>(sp - base)
    if (depth < (<u32>(entry >> 16) & 0xffff)) {
      status = STACK_UNDERFLOW
      break
    }
    if (depth > (<u32>(entry >> 32) & 0xffff)) {
      status = STACK_OVERFLOW
      break
    }
    const constantGas = entry & 0xffff
    if (gas < constantGas) {
      status = UNAFFORDABLE
      break
    }
    gas -= constantGas
    const a = sp - WORD
    const b = a - WORD
    const c = b - WORD
    pc++
    switch (<u32>(entry >> 48)) {
      case Action.STOP: { status = STOP; break }
      case Action.ADD: { add(b, a, b); sp = a; continue }
      case Action.MUL: { multiply(b, a, b); sp = a; continue }
      case Action.SUB: { subtract(b, a, b); sp = a; continue }
      case Action.DIV: { divide(b, a, b); sp = a; continue }
      case Action.SDIV: { divideSigned(b, a, b); sp = a; continue }
      case Action.MOD: { remainder(b, a, b); sp = a; continue }
      case Action.SMOD: { remainderSigned(b, a, b); sp = a; continue }
      case Action.ADDMOD: { addModulo(c, a, b, c); sp = b; continue }
      case Action.MULMOD: { multiplyModulo(c, a, b, c); sp = b; continue }
      case Action.EXP: {
        // The constant word of EXP has the price of a byte of the exponent.
        const cost = <u64>((bitLength(b) + 7) >> 3) * load<u64>(CONSTANTS + (0x0a << 5)) + 10
        if (gas < cost) {
          status = OUT_OF_GAS
          break
        }
        gas -= cost
        power(b, a, b)
        sp = a
        continue
      }
      case Action.SIGNEXTEND: {
        if (isSmall(a) && load<u64>(a) < 31) signExtend(b, b, load<u32>(a))
        sp = a
        continue
      }
      case Action.LT: { setSmall(b, u64(isBelow(a, b))); sp = a; continue }
      case Action.GT: { setSmall(b, u64(isBelow(b, a))); sp = a; continue }
      case Action.SLT: { setSmall(b, u64(isBelowSigned(a, b))); sp = a; continue }
      case Action.SGT: { setSmall(b, u64(isBelowSigned(b, a))); sp = a; continue }
      case Action.EQ: { setSmall(b, u64(isEqual(a, b))); sp = a; continue }
      case Action.ISZERO: { setSmall(a, u64(isZero(a))); continue }
      case Action.AND: {
        setWord(b, limb(a, 0) & limb(b, 0), limb(a, 1) & limb(b, 1), limb(a, 2) & limb(b, 2), limb(a, 3) & limb(b, 3))
        sp = a
        continue
      }
      case Action.OR: {
        setWord(b, limb(a, 0) | limb(b, 0), limb(a, 1) | limb(b, 1), limb(a, 2) | limb(b, 2), limb(a, 3) | limb(b, 3))
        sp = a
        continue
      }
      case Action.XOR: {
        setWord(b, limb(a, 0) ^ limb(b, 0), limb(a, 1) ^ limb(b, 1), limb(a, 2) ^ limb(b, 2), limb(a, 3) ^ limb(b, 3))
        sp = a
        continue
      }
      case Action.NOT: { setWord(a, ~limb(a, 0), ~limb(a, 1), ~limb(a, 2), ~limb(a, 3)); continue }
      case Action.BYTE: {
        setSmall(b, isSmall(a) && load<u64>(a) < 32 ? <u64>load<u8>(b + 31 - <usize>load<u64>(a)) : 0)
        sp = a
        continue
      }
      case Action.SHL: {
        if (isSmall(a) && load<u64>(a) < 256) shiftLeft(b, b, load<u32>(a))
        else setSmall(b, 0)
        sp = a
        continue
      }
      case Action.SHR: {
        if (isSmall(a) && load<u64>(a) < 256) shiftRight(b, b, load<u32>(a), 0)
        else setSmall(b, 0)
        sp = a
        continue
      }
      case Action.SAR: {
        const fill: u64 = isNegative(b) ? u64.MAX_VALUE : 0
        if (isSmall(a) && load<u64>(a) < 256) shiftRight(b, b, load<u32>(a), fill)
        else setWord(b, fill, fill, fill, fill)
        sp = a
        continue
      }
      case Action.CLZ: { setSmall(a, 256 - <u64>bitLength(a)); continue }
      case Action.KECCAK256: {
        const end = regionEnd(a, b)
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        const length = load<u64>(b)
        const cost = ((length + 31) >> 5) * 6
        if (gas < cost) {
          status = OUT_OF_GAS
          break
        }
        gas -= cost
        if (length > LONGEST_HASH) {
          store<u32>(frame, <u32>load<u64>(a), OUTPUT_OFFSET)
          store<u32>(frame, <u32>length, OUTPUT_LENGTH)
          sp = b
          status = LONG_HASH
          break
        }
        // If the length is zero, the offset can be any number.
        keccak256(memoryBase + (length == 0 ? 0 : <usize>load<u64>(a)), <usize>length, EXCHANGE)
        readBigEndian(b, EXCHANGE)
        sp = a
        continue
      }
      case Action.ADDRESS: { copyWord(sp, frame + ADDRESS); sp += WORD; continue }
      case Action.CALLER: { copyWord(sp, frame + CALLER); sp += WORD; continue }
      case Action.CALLVALUE: { copyWord(sp, frame + VALUE); sp += WORD; continue }
      case Action.CALLDATALOAD: {
        const inputLength = load<u32>(frame, INPUT_LENGTH)
        const offset = load<u64>(a)
        if (isSmall(a) && offset < inputLength) {
          const at = <usize>load<u32>(frame, INPUT) + <usize>offset
          if (offset + 32 <= inputLength) {
            readBigEndian(a, at)
          } else {
            copyPadded(EXCHANGE, at, inputLength - offset, 0, 32)
            readBigEndian(a, EXCHANGE)
          }
        } else {
          setSmall(a, 0)
        }
        continue
      }
      case Action.CALLDATASIZE: { setSmall(sp, load<u32>(frame, INPUT_LENGTH)); sp += WORD; continue }
      case Action.CALLDATACOPY:
      case Action.CODECOPY: {
        const end = regionEnd(a, c)
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        const length = load<u64>(c)
        const cost = ((length + 31) >> 5) * 3
        if (gas < cost) {
          status = OUT_OF_GAS
          break
        }
        gas -= cost
        const to = memoryBase + <usize>(end - length)
        const offset: u64 = isSmall(b) ? load<u64>(b) : u64.MAX_VALUE
        if (opcode == CODECOPY) copyPadded(to, code, codeLength, offset, length)
        else copyPadded(to, load<u32>(frame, INPUT), load<u32>(frame, INPUT_LENGTH), offset, length)
        sp = c
        continue
      }
      case Action.CODESIZE: { setSmall(sp, codeLength); sp += WORD; continue }
      case Action.RETURNDATASIZE: { setSmall(sp, load<u32>(frame, RETURN_DATA_LENGTH)); sp += WORD; continue }
      case Action.CONSTANT: { copyWord(sp, CONSTANTS + ((<usize>opcode) << 5)); sp += WORD; continue }
      case Action.POP: { sp = a; continue }
      case Action.MLOAD: {
        const end = endAfter(a, 32)
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        readBigEndian(a, memoryBase + load<u32>(a))
        continue
      }
      case Action.MSTORE: {
        const end = endAfter(a, 32)
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        writeBigEndian(memoryBase + load<u32>(a), b)
        sp = b
        continue
      }
      case Action.MSTORE8: {
        const end = endAfter(a, 1)
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        store<u8>(memoryBase + load<u32>(a), load<u8>(b))
        sp = b
        continue
      }
      case Action.JUMP: {
        if (!isBoolean<Mode>() && gas < sliceEnd) {
          gas += constantGas
          pc--
          status = TICK
          break
        }
        const target = load<u64>(a)
        if (!isSmall(a) || !isJumpDestination(load<u32>(frame, JUMP_MAP), target, codeLength)) {
          status = INVALID_JUMP
          break
        }
        pc = code + <usize>target
        sp = a
        continue
      }
      case Action.JUMPI: {
        if (!isBoolean<Mode>() && gas < sliceEnd) {
          gas += constantGas
          pc--
          status = TICK
          break
        }
        sp = b
        if (!isZero(b)) {
          const target = load<u64>(a)
          if (!isSmall(a) || !isJumpDestination(load<u32>(frame, JUMP_MAP), target, codeLength)) {
            status = INVALID_JUMP
            break
          }
          pc = code + <usize>target
        }
        continue
      }
      case Action.PC: { setSmall(sp, <u64>(pc - code - 1)); sp += WORD; continue }
      case Action.MSIZE: { setSmall(sp, memorySize); sp += WORD; continue }
      case Action.GAS: { setSmall(sp, gas); sp += WORD; continue }
      case Action.JUMPDEST: { continue }
      case Action.MCOPY: {
        const end = max<u64>(regionEnd(a, c), regionEnd(b, c))
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        const length = load<u64>(c)
        const cost = ((length + 31) >> 5) * 3
        if (gas < cost) {
          status = OUT_OF_GAS
          break
        }
        gas -= cost
        if (length != 0) memory.copy(memoryBase + load<u32>(a), memoryBase + load<u32>(b), <usize>length)
        sp = c
        continue
      }
      case Action.PUSH0: { setSmall(sp, 0); sp += WORD; continue }
      case Action.PUSH1: {
        setSmall(sp, load<u8>(pc))
        sp += WORD
        pc++
        continue
      }
      case Action.PUSH2: {
        setSmall(sp, bswap<u16>(load<u16>(pc)))
        sp += WORD
        pc += 2
        continue
      }
      case Action.PUSH: {
        // PUSH3 to PUSH32: the word that ends with the operand, less what stands before it.
        const size = (<usize>opcode) - 0x5f
        pc += size
        readBigEndian(sp, pc - WORD)
        const bits = <u64>size << 3
        if (bits < 64) {
          setSmall(sp, load<u64>(sp) & (((<u64>1) << bits) - 1))
        } else if (bits < 128) {
          setWord(sp, load<u64>(sp), load<u64>(sp, 8) & (((<u64>1) << (bits - 64)) - 1), 0, 0)
        } else if (bits < 192) {
          store<u64>(sp, load<u64>(sp, 16) & (((<u64>1) << (bits - 128)) - 1), 16)
          store<u64>(sp, 0, 24)
        } else if (bits < 256) {
          store<u64>(sp, load<u64>(sp, 24) & (((<u64>1) << (bits - 192)) - 1), 24)
        }
        sp += WORD
        continue
      }
      case Action.DUP: { copyWord(sp, sp - (((<usize>opcode) - 0x7f) << 5)); sp += WORD; continue }
      case Action.SWAP: {
        const other = a - (((<usize>opcode) - 0x8f) << 5)
        const limb0 = limb(a, 0)
        const limb1 = limb(a, 1)
        const limb2 = limb(a, 2)
        const limb3 = limb(a, 3)
        copyWord(a, other)
        setWord(other, limb0, limb1, limb2, limb3)
        continue
      }
      case Action.RETURN:
      case Action.REVERT: {
        const end = regionEnd(a, b)
        if (end > memorySize) {
          gas = grow(memoryBase, memorySize, end, gas)
          if (growthStatus != STOP) {
            status = growthStatus
            break
          }
          memorySize = grownSize
        }
        store<u32>(frame, load<u32>(a), OUTPUT_OFFSET)
        store<u32>(frame, load<u32>(b), OUTPUT_LENGTH)
        status = opcode == RETURN_OPCODE ? RETURN : REVERT
        break
      }
      case Action.INVALID: { pc--; status = INVALID_OPCODE; break }
      default: {
        // A host operation: pass its operands.
        const operands = (<u32>(entry >> 16) & 0xffff) as usize
        for (let i: usize = 0; i < operands; i += WORD) {
          sp -= WORD
          writeBigEndian(EXCHANGE + i, sp)
        }
        status = HOST | opcode
        break
      }
    }
    break
  }
  store<u32>(frame, <u32>(pc - code), PC)
  store<u32>(frame, <u32>sp, STACK_POINTER)
  store<u32>(frame, memorySize, MEMORY_SIZE)
  store<u64>(frame, gas, GAS)
  return status
}
