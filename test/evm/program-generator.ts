// Random but meaningful EVM programs: they keep their stack in order, jump to places that exist, call each other,
// create contracts, use every precompile with input that is nearly right, and end by returning what they can see.
import { bigIntToBytes, concatBytes } from '../../src/bytes.js'
import type { Random } from '../random.js'
import { precompileInputs } from './precompile-inputs.js'

/** Addresses of the contracts that a program set consists of, as numbers. */
export const contractAddresses = [0xa000n, 0xa001n, 0xa002n, 0xa003n] as const
/** An account with a balance and no code. */
export const plainAddress = 0xb000n
/** An address that nothing is known about. */
export const unknownAddress = 0xdeadbeefn

const op = {
  stop: 0x00,
  add: 0x01,
  exp: 0x0a,
  iszero: 0x15,
  keccak256: 0x20,
  address: 0x30,
  balance: 0x31,
  extcodesize: 0x3b,
  extcodehash: 0x3f,
  returndatasize: 0x3d,
  returndatacopy: 0x3e,
  calldatacopy: 0x37,
  codecopy: 0x39,
  extcodecopy: 0x3c,
  blockhash: 0x40,
  selfbalance: 0x47,
  pop: 0x50,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  gas: 0x5a,
  jumpdest: 0x5b,
  tload: 0x5c,
  tstore: 0x5d,
  mcopy: 0x5e,
  sub: 0x03,
  dup1: 0x80,
  swap1: 0x90,
  log0: 0xa0,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfdestruct: 0xff,
} as const

const unary = [0x15, 0x19, 0x1e, 0x35, 0x31, 0x3b, 0x3f, 0x40, 0x49]
const binary = [
  ...[0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14],
  ...[0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d],
]
const ternary = [0x08, 0x09]
const sources = [
  ...[0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a],
  ...[0x58, 0x59, 0x5a, 0x5f],
]

const word = 2n ** 256n
const interesting = [
  ...[0n, 1n, 2n, 3n, 5n, 7n, 8n, 31n, 32n, 33n, 63n, 64n, 127n, 128n, 255n, 256n, 257n, 1024n],
  ...[2n ** 32n - 1n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n - 1n, 2n ** 128n],
  ...[2n ** 160n - 1n, 2n ** 255n - 1n, 2n ** 255n, word - 1n, word - 2n, word - 31n, word - 32n],
]

/** Writes code; addresses of jumps are 2 bytes. */
class Writer {
  readonly bytes: number[] = []

  put(...bytes: readonly number[]): void {
    this.bytes.push(...bytes)
  }

  push(value: bigint): void {
    const bytes = [...bigIntToBytes(value, 32)]
    while (bytes.length > 1 && bytes[0] === 0) bytes.shift()
    this.put(0x5f + bytes.length, ...bytes)
  }

  /** Copies bytes to memory by words. */
  store(bytes: Uint8Array, offset: number): void {
    for (let i = 0; i < bytes.length; i += 32) {
      const part = new Uint8Array(32)
      part.set(bytes.subarray(i, i + 32))
      this.put(0x7f, ...part)
      this.push(BigInt(offset + i))
      this.put(op.mstore)
    }
  }
}

/** One program of about `statements` statements, of opcodes for which `isDefined` is true. */
export function generateProgram(
  random: Random,
  statements: number,
  isDefined: (opcode: number) => boolean = () => true,
): Uint8Array {
  const writer = new Writer()
  const generator = new Generator(random, writer, isDefined)
  generator.block(statements, 0)
  generator.epilogue()
  return Uint8Array.from(writer.bytes)
}

class Generator {
  readonly #random: Random
  readonly #writer: Writer
  readonly #isDefined: (opcode: number) => boolean

  constructor(random: Random, writer: Writer, isDefined: (opcode: number) => boolean) {
    this.#random = random
    this.#writer = writer
    this.#isDefined = isDefined
  }

  block(statements: number, depth: number): void {
    for (let i = 0; i < statements; i++) this.#statement(depth)
  }

  /** Returns gas, storage, balances and memory; seldom ends otherwise. */
  epilogue(): void {
    const { put, push } = this.#bound()
    const ending = this.#random.below(40)
    if (ending === 2) push(this.#address())
    if (ending < 3) {
      put([op.invalid, op.stop, op.selfdestruct][ending]!)
      return
    }
    for (let slot = 0n; slot < 4n; slot++) {
      push(slot)
      put(op.sload)
      push(0x200n + slot * 32n)
      put(op.mstore)
    }
    for (const [i, address] of [...contractAddresses, plainAddress].entries()) {
      push(address)
      put(op.balance)
      push(0x280n + BigInt(i) * 32n)
      put(op.mstore)
    }
    put(op.gas)
    push(0x320n)
    put(op.mstore)
    push(0x340n)
    push(0n)
    put(ending === 3 && this.#isDefined(op.revert) ? op.revert : op.return)
  }

  /** One of the opcodes that are defined. */
  #pick(opcodes: readonly number[]): number {
    return this.#random.pick(opcodes.filter(this.#isDefined))
  }

  #bound() {
    return {
      put: (...bytes: readonly number[]) => this.#writer.put(...bytes),
      push: (value: bigint) => this.#writer.push(value),
    }
  }

  #value(): bigint {
    const random = this.#random
    if (random.oneIn(3)) return random.pick(interesting)
    if (random.oneIn(3)) return BigInt(random.below(300))
    const bytes = random.bytes(1 + random.below(32))
    return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  }

  /** Mostly within the first kilobyte. */
  #offset(): bigint {
    if (this.#random.oneIn(60)) return this.#value()
    return BigInt(this.#random.below(0x300))
  }

  #length(): bigint {
    if (this.#random.oneIn(60)) return this.#value()
    if (this.#random.oneIn(5)) return 0n
    return BigInt(this.#random.below(150))
  }

  #address(): bigint {
    const random = this.#random
    if (random.oneIn(12)) return this.#value()
    if (random.oneIn(8)) return unknownAddress
    if (random.oneIn(6)) return plainAddress
    if (random.oneIn(4)) return BigInt(random.below(0x13))
    return random.pick(contractAddresses)
  }

  #slot(): bigint {
    return this.#random.oneIn(10) ? this.#value() : BigInt(this.#random.below(4))
  }

  /** Keeps the topmost word in memory. */
  #keep(): void {
    this.#writer.push(BigInt(this.#random.below(16) * 32))
    this.#writer.put(op.mstore)
  }

  #statement(depth: number): void {
    const random = this.#random
    const { put, push } = this.#bound()
    const kind = random.below(30)
    if (kind < 6) {
      this.#expression(2)
      this.#keep()
    } else if (kind < 8) {
      push(this.#random.oneIn(2) ? BigInt(random.below(3)) : this.#value())
      push(this.#slot())
      put(op.sstore)
    } else if (kind < 9) {
      if (!this.#isDefined(op.tload)) return
      push(this.#value())
      push(this.#slot())
      put(op.tstore)
      push(this.#slot())
      put(op.tload)
      this.#keep()
    } else if (kind < 10) {
      push(this.#slot())
      put(op.sload)
      this.#keep()
    } else if (kind < 12) {
      this.#memoryAccess()
    } else if (kind < 14) {
      this.#copy()
    } else if (kind < 15) {
      push(this.#length())
      push(this.#offset())
      put(op.keccak256)
      this.#keep()
    } else if (kind < 16) {
      const topics = random.below(5)
      for (let i = 0; i < topics; i++) push(this.#value())
      push(this.#length())
      push(this.#offset())
      put(op.log0 + topics)
    } else if (kind < 20) {
      this.#call()
    } else if (kind < 22) {
      this.#precompile()
    } else if (kind < 24) {
      this.#create()
    } else if (kind < 26) {
      if (depth < 3) this.#loop(depth)
    } else if (kind < 28) {
      if (depth < 3) this.#branch(depth)
    } else if (kind < 29) {
      this.#stackPlay()
    } else if (random.oneIn(12)) {
      put(random.below(256))
    }
  }

  /** Leaves one word. */
  #expression(depth: number): void {
    const random = this.#random
    const { put, push } = this.#bound()
    const kind = depth === 0 ? random.below(2) : random.below(8)
    if (kind === 0) {
      push(this.#value())
    } else if (kind === 1) {
      put(this.#pick(sources))
    } else {
      const [operands, opcodes] = kind === 2 ? [1, unary] : kind === 3 ? [3, ternary] : [2, binary]
      for (let i = 0; i < operands; i++) this.#expression(depth - 1)
      put(this.#pick(opcodes))
    }
  }

  #memoryAccess(): void {
    const { put, push } = this.#bound()
    const kind = this.#random.below(3)
    if (kind > 0) push(this.#value())
    push(this.#offset())
    put([op.mload, op.mstore, op.mstore8][kind]!)
    if (kind === 0) this.#keep()
  }

  #copy(): void {
    const { put, push } = this.#bound()
    const copies = [op.calldatacopy, op.codecopy, op.mcopy, op.extcodecopy, op.returndatacopy] as const
    const opcode = this.#pick(copies)
    const length = this.#length()
    if (opcode === op.returndatacopy) {
      // Within the return data, so that it does not fail as a rule.
      if (this.#random.oneIn(4)) push(length)
      else put(op.returndatasize)
      push(0n)
    } else {
      push(length)
      push(this.#offset())
    }
    push(this.#offset())
    if (opcode === op.extcodecopy) push(this.#address())
    put(opcode)
  }

  #call(): void {
    const random = this.#random
    const { put, push } = this.#bound()
    const opcode = this.#pick([op.call, op.call, op.callcode, op.delegatecall, op.staticcall])
    const outputLength = this.#length()
    push(outputLength)
    push(this.#offset())
    push(this.#length())
    push(this.#offset())
    if (opcode === op.call || opcode === op.callcode) push(random.oneIn(3) ? BigInt(random.below(50)) : 0n)
    push(this.#address())
    if (random.oneIn(2)) put(op.gas)
    else push(random.oneIn(8) ? this.#value() : BigInt(random.below(200_000)))
    put(opcode)
    this.#keep()
  }

  #precompile(): void {
    const random = this.#random
    const { put, push } = this.#bound()
    const { address, input } = mutatedPrecompileInput(random)
    const { length } = input
    const at = 0x400
    this.#writer.store(input, at)
    push(64n)
    push(0n)
    push(BigInt(length))
    push(BigInt(at))
    const opcode = this.#pick([op.staticcall, op.callcode])
    if (opcode === op.callcode) push(0n)
    push(BigInt(address))
    if (random.oneIn(10)) push(BigInt(random.below(5000)))
    else push(0x10000n)
    put(opcode)
    this.#keep()
  }

  #create(): void {
    const random = this.#random
    const { put, push } = this.#bound()
    const at = 0x600
    const initCode = this.#initCode()
    this.#writer.store(initCode, at)
    const salted = random.oneIn(2) && this.#isDefined(op.create2)
    if (salted) push(BigInt(random.below(3)))
    push(BigInt(initCode.length))
    push(BigInt(at))
    push(random.oneIn(3) ? BigInt(random.below(20)) : 0n)
    put(salted ? op.create2 : op.create)
    if (random.oneIn(2)) {
      put(op.dup1)
      put(this.#pick([op.extcodehash, op.extcodesize, op.balance]))
      this.#keep()
    }
    if (random.oneIn(2)) {
      // Call the new contract.
      for (const value of [0n, 0n, 0n, 0n, 0n]) push(value)
      put(op.dup1 + 5)
      put(op.gas)
      put(op.call)
      this.#keep()
    }
    this.#keep()
  }

  /** Initcode that returns a short program, reverts, destroys itself, or is noise. */
  #initCode(): Uint8Array {
    const random = this.#random
    const kind = random.below(8)
    if (kind === 0) return random.bytes(random.below(20))
    const writer = new Writer()
    const inner = new Generator(random, writer, this.#isDefined)
    if (random.oneIn(2)) inner.block(1 + random.below(2), 3)
    if (kind === 1) {
      writer.push(this.#address())
      writer.put(op.selfdestruct)
    } else {
      const runtime = Uint8Array.from(this.#runtime())
      writer.store(runtime, 0)
      writer.push(BigInt(runtime.length))
      writer.push(0n)
      // A creation that reverts with data that begin with 0xef loses its gas in @ethereumjs/evm 10.1, in geth it does not.
      const reverts = kind === 2 && this.#isDefined(op.revert) && runtime[0] !== 0xef
      writer.put(reverts ? op.revert : op.return)
    }
    return Uint8Array.from(writer.bytes).subarray(0, 900)
  }

  #runtime(): number[] {
    const writer = new Writer()
    const kind = this.#random.below(5)
    if (kind === 0) return [0xef, 0x00]
    if (kind === 1) {
      writer.push(this.#address())
      writer.put(op.selfdestruct)
    } else if (kind === 2) {
      writer.push(BigInt(this.#random.below(5)))
      writer.push(this.#slot())
      writer.put(op.sstore)
    } else {
      writer.put(op.address)
      writer.push(0n)
      writer.put(op.mstore)
      writer.push(32n)
      writer.push(0n)
      writer.put(op.return)
    }
    return writer.bytes
  }

  /** Counts down on the stack. */
  #loop(depth: number): void {
    const { put, push } = this.#bound()
    push(BigInt(1 + this.#random.below(6)))
    const start = this.#writer.bytes.length
    put(op.jumpdest)
    this.block(1 + this.#random.below(3), depth + 1)
    push(1n)
    put(op.swap1, op.sub, op.dup1)
    put(0x61, start >> 8, start & 0xff)
    put(op.jumpi, op.pop)
  }

  #branch(depth: number): void {
    const { put } = this.#bound()
    this.#expression(1)
    const patch = this.#writer.bytes.length + 1
    put(0x61, 0, 0)
    put(op.jumpi)
    this.block(1 + this.#random.below(3), depth + 1)
    const end = this.#writer.bytes.length
    this.#writer.bytes[patch] = end >> 8
    this.#writer.bytes[patch + 1] = end & 0xff
    put(op.jumpdest)
  }

  /** Fills the stack a little, moves words about, and clears it again. */
  #stackPlay(): void {
    const random = this.#random
    const { put, push } = this.#bound()
    const count = 2 + random.below(16)
    for (let i = 0; i < count; i++) push(this.#value())
    let depth = count
    for (let i = 0; i < 6; i++) {
      if (random.oneIn(2)) {
        put(op.dup1 + random.below(Math.min(depth, 16)))
        depth++
      } else {
        put(op.swap1 + random.below(Math.min(depth - 1, 16)))
      }
    }
    this.#keep()
    for (let i = 1; i < depth; i++) put(op.pop)
  }
}

/** A precompile and input for it that is right or nearly so. */
export function mutatedPrecompileInput(random: Random): {
  readonly address: number
  readonly input: Uint8Array
} {
  const [address, valid] = random.pick(precompileInputs)
  const input = valid.slice()
  if (input.length > 0) {
    if (random.oneIn(4)) input[random.below(input.length)]! ^= 1 << random.below(8)
    if (random.oneIn(6))
      input.fill(random.pick([0x00, 0xff]), random.below(input.length), random.below(input.length))
  }
  const length = random.oneIn(6) ? random.below(input.length + 40) : input.length
  return {
    address,
    input:
      length < input.length
        ? input.subarray(0, length)
        : concatBytes(input, new Uint8Array(length - input.length)),
  }
}

/** Call data with numbers in it. */
export function generateInput(random: Random): Uint8Array {
  return concatBytes(random.bytes(4), ...Array.from({ length: random.below(4) }, () => random.bytes(32)))
}
