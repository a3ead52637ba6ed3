// The opcode table: what an opcode does in each fork, its constant gas and its operands. Follows
// core/vm/jump_table.go, eips.go and opcodes.go. Gas that depends on more than the opcode is charged in core/assembly
// for opcodes of the core, and in interpreter/ for the others.
import type { ForkRules } from '../types/fork-rules.js'
import * as coreActions from './core/assembly/action.js'

/** What the core does for an opcode, by name. */
const actions = { ...coreActions }

type Action = keyof typeof actions

/** Forks that change the table, in order. */
const forks = [
  'frontier',
  'homestead',
  'eip150',
  'eip158',
  'byzantium',
  'constantinople',
  'istanbul',
  'berlin',
  'london',
  'merge',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

type Fork = (typeof forks)[number]

interface Opcode {
  readonly code: number
  readonly name: string
  readonly action: Action
  readonly pops: number
  readonly pushes: number
  /** Constant gas from each fork on; before the first of them the opcode is not defined. */
  readonly gas: { readonly [fork in Fork]?: number }
}

/** Largest number of words on a frame's stack. */
const stackLimit = 1024

function opcode(
  code: number,
  name: string,
  [pops, pushes]: readonly [number, number],
  gas: number | Opcode['gas'],
  action: Action = name in actions ? (name as Action) : 'HOST',
): Opcode {
  return { code, name, action, pops, pushes, gas: typeof gas === 'number' ? { frontier: gas } : gas }
}

/** Opcodes numbered from 1, such as PUSH1 to PUSH32. */
function series(count: number, make: (n: number) => Opcode): Opcode[] {
  return Array.from({ length: count }, (_, i) => make(i + 1))
}

const unary = [1, 1] as const
const binary = [2, 1] as const
const ternary = [3, 1] as const
const source = [0, 1] as const

const opcodes: readonly Opcode[] = [
  opcode(0x00, 'STOP', [0, 0], 0),
  opcode(0x01, 'ADD', binary, 3),
  opcode(0x02, 'MUL', binary, 5),
  opcode(0x03, 'SUB', binary, 3),
  opcode(0x04, 'DIV', binary, 5),
  opcode(0x05, 'SDIV', binary, 5),
  opcode(0x06, 'MOD', binary, 5),
  opcode(0x07, 'SMOD', binary, 5),
  opcode(0x08, 'ADDMOD', ternary, 8),
  opcode(0x09, 'MULMOD', ternary, 8),
  opcode(0x0a, 'EXP', binary, 0),
  opcode(0x0b, 'SIGNEXTEND', binary, 5),
  opcode(0x10, 'LT', binary, 3),
  opcode(0x11, 'GT', binary, 3),
  opcode(0x12, 'SLT', binary, 3),
  opcode(0x13, 'SGT', binary, 3),
  opcode(0x14, 'EQ', binary, 3),
  opcode(0x15, 'ISZERO', unary, 3),
  opcode(0x16, 'AND', binary, 3),
  opcode(0x17, 'OR', binary, 3),
  opcode(0x18, 'XOR', binary, 3),
  opcode(0x19, 'NOT', unary, 3),
  opcode(0x1a, 'BYTE', binary, 3),
  opcode(0x1b, 'SHL', binary, { constantinople: 3 }),
  opcode(0x1c, 'SHR', binary, { constantinople: 3 }),
  opcode(0x1d, 'SAR', binary, { constantinople: 3 }),
  opcode(0x1e, 'CLZ', unary, { osaka: 5 }),
  opcode(0x20, 'KECCAK256', binary, 30),
  opcode(0x30, 'ADDRESS', source, 2),
  opcode(0x31, 'BALANCE', unary, { frontier: 20, eip150: 400, istanbul: 700, berlin: 100 }),
  opcode(0x32, 'ORIGIN', source, 2, 'CONSTANT'),
  opcode(0x33, 'CALLER', source, 2),
  opcode(0x34, 'CALLVALUE', source, 2),
  opcode(0x35, 'CALLDATALOAD', unary, 3),
  opcode(0x36, 'CALLDATASIZE', source, 2),
  opcode(0x37, 'CALLDATACOPY', [3, 0], 3),
  opcode(0x38, 'CODESIZE', source, 2),
  opcode(0x39, 'CODECOPY', [3, 0], 3),
  opcode(0x3a, 'GASPRICE', source, 2, 'CONSTANT'),
  opcode(0x3b, 'EXTCODESIZE', unary, { frontier: 20, eip150: 700, berlin: 100 }),
  opcode(0x3c, 'EXTCODECOPY', [4, 0], { frontier: 20, eip150: 700, berlin: 100 }),
  opcode(0x3d, 'RETURNDATASIZE', source, { byzantium: 2 }),
  opcode(0x3e, 'RETURNDATACOPY', [3, 0], { byzantium: 3 }),
  opcode(0x3f, 'EXTCODEHASH', unary, { constantinople: 400, istanbul: 700, berlin: 100 }),
  opcode(0x40, 'BLOCKHASH', unary, 20),
  opcode(0x41, 'COINBASE', source, 2, 'CONSTANT'),
  opcode(0x42, 'TIMESTAMP', source, 2, 'CONSTANT'),
  opcode(0x43, 'NUMBER', source, 2, 'CONSTANT'),
  opcode(0x44, 'DIFFICULTY', source, 2, 'CONSTANT'),
  opcode(0x45, 'GASLIMIT', source, 2, 'CONSTANT'),
  opcode(0x46, 'CHAINID', source, { istanbul: 2 }, 'CONSTANT'),
  opcode(0x47, 'SELFBALANCE', source, { istanbul: 5 }),
  opcode(0x48, 'BASEFEE', source, { london: 2 }, 'CONSTANT'),
  opcode(0x49, 'BLOBHASH', unary, { cancun: 3 }),
  opcode(0x4a, 'BLOBBASEFEE', source, { cancun: 2 }, 'CONSTANT'),
  opcode(0x50, 'POP', [1, 0], 2),
  opcode(0x51, 'MLOAD', unary, 3),
  opcode(0x52, 'MSTORE', [2, 0], 3),
  opcode(0x53, 'MSTORE8', [2, 0], 3),
  opcode(0x54, 'SLOAD', unary, { frontier: 50, eip150: 200, istanbul: 800, berlin: 0 }),
  opcode(0x55, 'SSTORE', [2, 0], 0),
  opcode(0x56, 'JUMP', [1, 0], 8),
  opcode(0x57, 'JUMPI', [2, 0], 10),
  opcode(0x58, 'PC', source, 2),
  opcode(0x59, 'MSIZE', source, 2),
  opcode(0x5a, 'GAS', source, 2),
  opcode(0x5b, 'JUMPDEST', [0, 0], 1),
  opcode(0x5c, 'TLOAD', unary, { cancun: 100 }),
  opcode(0x5d, 'TSTORE', [2, 0], { cancun: 100 }),
  opcode(0x5e, 'MCOPY', [3, 0], { cancun: 3 }),
  opcode(0x5f, 'PUSH0', source, { shanghai: 2 }),
  opcode(0x60, 'PUSH1', source, 3),
  opcode(0x61, 'PUSH2', source, 3),
  ...series(32, (n) => opcode(0x5f + n, `PUSH${n}`, source, 3, 'PUSH')).slice(2),
  ...series(16, (n) => opcode(0x7f + n, `DUP${n}`, [n, n + 1], 3, 'DUP')),
  ...series(16, (n) => opcode(0x8f + n, `SWAP${n}`, [n + 1, n + 1], 3, 'SWAP')),
  opcode(0xa0, 'LOG0', [2, 0], 0),
  ...series(4, (n) => opcode(0xa0 + n, `LOG${n}`, [2 + n, 0], 0)),
  opcode(0xf0, 'CREATE', ternary, 32_000),
  opcode(0xf1, 'CALL', [7, 1], { frontier: 40, eip150: 700, berlin: 100 }),
  opcode(0xf2, 'CALLCODE', [7, 1], { frontier: 40, eip150: 700, berlin: 100 }),
  opcode(0xf3, 'RETURN', [2, 0], 0),
  opcode(0xf4, 'DELEGATECALL', [6, 1], { homestead: 40, eip150: 700, berlin: 100 }),
  opcode(0xf5, 'CREATE2', [4, 1], { constantinople: 32_000 }),
  opcode(0xfa, 'STATICCALL', [6, 1], { byzantium: 700, berlin: 100 }),
  opcode(0xfd, 'REVERT', [2, 0], { byzantium: 0 }),
  opcode(0xfe, 'INVALID', [0, 0], 0),
  opcode(0xff, 'SELFDESTRUCT', [1, 0], { frontier: 0, berlin: 5_000 }),
]

/** More names that geth knows: opcodes of later forks and of the withdrawn object format. */
const otherNames: readonly (readonly [number, string])[] = [
  [0x4b, 'SLOTNUM'],
  [0xd0, 'DATALOAD'],
  [0xd1, 'DATALOADN'],
  [0xd2, 'DATASIZE'],
  [0xd3, 'DATACOPY'],
  [0xe0, 'RJUMP'],
  [0xe1, 'RJUMPI'],
  [0xe2, 'RJUMPV'],
  [0xe3, 'CALLF'],
  [0xe4, 'RETF'],
  [0xe5, 'JUMPF'],
  [0xe6, 'DUPN'],
  [0xe7, 'SWAPN'],
  [0xe8, 'EXCHANGE'],
  [0xec, 'EOFCREATE'],
  [0xee, 'RETURNCONTRACT'],
  [0xf7, 'RETURNDATALOAD'],
  [0xf8, 'EXTCALL'],
  [0xf9, 'EXTDELEGATECALL'],
  [0xfb, 'EXTSTATICCALL'],
]

const names: ReadonlyMap<number, string> = new Map([
  ...opcodes.map(({ code, name }) => [code, name] as const),
  ...otherNames,
])

/** geth's name of an opcode, defined or not: `PUSH0`, `opcode 0xc not defined`. */
export function opcodeName(code: number): string {
  return names.get(code) ?? `opcode 0x${code.toString(16)} not defined`
}

/** Stack words that an opcode needs, and how many the stack may have before it, in any fork. */
export function stackBounds(code: number): { readonly needed: number; readonly allowed: number } {
  const found = opcodes.find((candidate) => candidate.code === code)
  const [pops, pushes] = found === undefined ? [0, 0] : [found.pops, found.pushes]
  return { needed: pops, allowed: stackLimit + pops - pushes }
}

/** The newest active fork that changes the table. As in geth, it includes the older ones, even if the config lacks them. */
function tableFork(rules: ForkRules): Fork {
  for (const fork of forks.toReversed()) if (fork === 'frontier' || rules[fork]) return fork
  return 'frontier'
}

/** One opcode table as the core reads it. */
export interface OpcodeTable {
  /** 256 entries of four 16-bit numbers: constant gas, bytes of stack needed, bytes of stack allowed, action. */
  readonly entries: Uint16Array
  /** Gas of a byte of an exponent of EXP. */
  readonly exponentByteGas: number
  /** 1 for each opcode that pushes a result. */
  readonly pushes: Uint8Array
}

const tables = new Map<Fork, OpcodeTable>()

/** The table of the active fork. The same object for the same fork. */
export function opcodeTable(rules: ForkRules): OpcodeTable {
  const fork = tableFork(rules)
  let table = tables.get(fork)
  if (table === undefined) {
    table = buildTable(fork)
    tables.set(fork, table)
  }
  return table
}

function buildTable(fork: Fork): OpcodeTable {
  const entries = new Uint16Array(256 * 4)
  const pushes = new Uint8Array(256)
  const wordSize = 32
  for (let code = 0; code < 256; code++) {
    entries.set([0, 0, stackLimit * wordSize, actions.INVALID], code * 4)
  }
  for (const { code, action, pops, pushes: pushed, gas } of opcodes) {
    const constantGas = gasAt(gas, fork)
    if (constantGas === undefined) continue
    const allowed = stackLimit + pops - pushed
    entries.set([constantGas, pops * wordSize, allowed * wordSize, actions[action]], code * 4)
    pushes[code] = pushed > 0 ? 1 : 0
  }
  const exponentByteGas = forks.indexOf(fork) >= forks.indexOf('eip158') ? 50 : 10
  return { entries, exponentByteGas, pushes }
}

function gasAt(gas: Opcode['gas'], fork: Fork): number | undefined {
  let found: number | undefined
  for (const candidate of forks.slice(0, forks.indexOf(fork) + 1)) found = gas[candidate] ?? found
  return found
}
