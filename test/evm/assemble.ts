// A small assembler, so that tests show EVM programs as opcodes and not as hex.
import { opcodeName } from '../../src/evm/opcodes.js'

const codes = new Map(Array.from({ length: 256 }, (_, code) => [opcodeName(code), code] as const))

/**
 * Code in hex of opcodes that are separated by white space. A number after `PUSHn` is its operand, `name:` is a JUMPDEST, and
 * `PUSH1 name` pushes its position. A word that begins with `0x` and follows no PUSH is data.
 */
export function assemble(program: string): string {
  const labels = new Map<string, number>()
  const bytes: (number | string)[] = []
  let operandLength = 0
  for (const word of program.trim().split(/\s+/)) {
    if (operandLength > 0) {
      bytes.push(...(/^\d/.test(word) ? bigEndian(BigInt(word), operandLength) : [word]))
      operandLength = 0
    } else if (word.startsWith('0x')) {
      bytes.push(...Buffer.from(word.slice(2), 'hex'))
    } else if (word.endsWith(':')) {
      labels.set(word.slice(0, -1), bytes.length)
      bytes.push(codes.get('JUMPDEST')!)
    } else {
      const code = codes.get(word)
      if (code === undefined) throw new TypeError(`program: expected an opcode, got ${word}`)
      bytes.push(code)
      operandLength = Number(/^PUSH(\d+)$/.exec(word)?.[1] ?? 0)
    }
  }
  const resolved = bytes.map((byte) => (typeof byte === 'number' ? byte : labels.get(byte)!))
  return `0x${Buffer.from(resolved).toString('hex')}`
}

/** Code that returns the word that the program leaves on the stack. */
export function returning(program: string): string {
  return assemble(`${program} PUSH0 MSTORE PUSH1 32 PUSH0 RETURN`)
}

function bigEndian(value: bigint, length: number): number[] {
  return Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 0xffn))
}
