// Calls that are made to hurt whoever runs them, and the kinds of answers that geth gives to such.
import { bytesToHex } from '../../src/bytes.js'
import type { Random } from '../random.js'
import { precompileInputs } from './precompile-inputs.js'

const attacker = `0x${'c0de'.repeat(10)}`
const push = (value: number, bytes = 4) =>
  (0x5f + bytes).toString(16) + value.toString(16).padStart(2 * bytes, '0')
/** Does the code for ever: JUMPDEST … PUSH4 JUMP. The prefix is done once. */
const forever = (code: string, prefix = '') => `${prefix}5b${code}${push(prefix.length / 2)}56`
/** Stores 32 bytes given in hex at an address of memory. */
const store = (address: number, word: string) => `7f${word}${push(address)}52`
/** Calls an account with all gas and the first bytes of memory as input. */
const callWith = (account: number, inputLength: number) => `5f5f${push(inputLength)}5f${push(account)}5afa50`
/** Calls itself with all gas; leaves success on the stack. */
const callSelf = '5f5f5f5f5f305af1'

interface Attack {
  readonly name: string
  /** Code of the called account, in hex. */
  readonly code: string
}

const attacks: readonly ((random: Random) => Attack)[] = [
  () => ({ name: 'loop of nothing', code: forever('') }),
  () => ({ name: 'loop of hashes', code: forever(`${push(0x8000)}5f2050`) }),
  () => ({ name: 'loop of balances', code: forever('5a3150') }),
  () => ({ name: 'loop of loads', code: forever('5a5450') }),
  () => ({ name: 'loop of writes', code: forever('435a55') }),
  () => ({ name: 'loop of transient writes', code: forever('435a5d') }),
  () => ({ name: 'loop of logs', code: forever(`${push(0x4000)}5fa0`) }),
  () => ({ name: 'loop of exponents', code: forever('5f195f190a50') }),
  () => ({ name: 'loop of block hashes', code: forever('434050') }),
  () => ({ name: 'memory that grows', code: forever(`5f${push(0x10000)}590152`) }),
  (random) => ({ name: 'memory at once', code: `5f${push(random.below(0x1000000))}5200` }),
  () => ({ name: 'memory beyond 64 bits', code: '5f5f195200' }),
  () => ({ name: 'hash of much', code: `${push(0x900000)}5f2000` }),
  () => ({ name: 'copies in memory', code: forever(`${push(0x10000)}5f${push(0x10000)}5e`) }),
  () => ({ name: 'recursion', code: callSelf }),
  () => ({ name: 'recursion that branches', code: callSelf.repeat(3) }),
  () => ({ name: 'recursion with memory', code: `5f${push(0x20000)}52${callSelf}` }),
  () => ({ name: 'delegate recursion', code: forever('5f5f5f5f305af450') }),
  (random) => ({ name: 'much returned', code: `${push(random.below(0x200000))}5ff3` }),
  (random) => ({ name: 'much reverted', code: `${push(random.below(0x200000))}5ffd` }),
  () => ({
    name: 'return data that each frame adds to',
    code: `${callSelf}503d5f5f3e3d${push(0x8000)}015ff3`,
  }),
  () => ({ name: 'loop of creations', code: forever('5f5f5ff050') }),
  () => ({ name: 'creations of much code', code: forever(`${push(0xc000)}5f5ff050`) }),
  () => ({ name: 'code copied', code: forever(`${push(0x10000)}5f5f303c`) }),
  () => ({ name: 'endless stack', code: forever('5f') }),
  () => ({ name: 'stack too short', code: '01' }),
  () => ({ name: 'undefined opcode', code: '0c' }),
  () => ({ name: 'jump into data', code: '605b600156' }),
  () => ({ name: 'return data that is not there', code: '60015f5f3e' }),
  () => ({ name: 'self-destruction over and over', code: `30ff` }),
  (random) => loopOfPrecompile(random),
  (random) => loopOfPrecompile(random),
  () => ({
    name: 'modexp of large numbers',
    // Three numbers of 1,024 bytes with all bits set.
    code: forever(
      callWith(5, 96 + 3 * 1024),
      [
        ...[0, 32, 64].map((address) => store(address, (1024).toString(16).padStart(64, '0'))),
        ...Array.from({ length: 96 }, (_, i) => store(96 + 32 * i, 'f'.repeat(64))),
      ].join(''),
    ),
  }),
  () => ({
    name: 'blake2f of many rounds',
    code: `${store(0, '00f00000'.padEnd(64, '0'))}${callWith(9, 213)}`,
  }),
]

/** Puts the input of a precompile into memory and calls it until the gas is gone. */
function loopOfPrecompile(random: Random): Attack {
  const [address, input] = random.pick(precompileInputs)
  let stores = ''
  for (let start = 0; start < input.length; start += 32) {
    stores += store(
      start,
      bytesToHex(input.subarray(start, start + 32))
        .slice(2)
        .padEnd(64, '0'),
    )
  }
  return { name: `precompile ${address}`, code: forever(callWith(address, input.length), stores) }
}

export interface HostileRequest {
  readonly name: string
  /** JSON text of an eth_call. */
  readonly body: string
}

/** One hostile call; a tenth of them have all the gas that the server gives. */
export function hostileRequest(random: Random): HostileRequest {
  const { name, code } = random.pick(attacks)(random)
  const call = { to: attacker, ...(!random.oneIn(10) && { gas: `0x${(5_000_000).toString(16)}` }) }
  const overrides = { [attacker]: { code: `0x${code}` } }
  const params = [call, 'latest', overrides]
  return { name, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }) }
}

const errorKinds: readonly RegExp[] = [
  /^out of gas/,
  /^gas uint64 overflow$/,
  /^stack (underflow|limit reached)/,
  /^invalid (opcode: .+|jump destination)$/,
  /^return data out of bounds$/,
  /^execution reverted$/,
  /^execution aborted \(timeout = 5s\)$/,
]

/** The kind of an answer as geth gives them; undefined for any other answer. */
export function kindOfAnswer(text: string): string | undefined {
  const answer = JSON.parse(text) as { result?: string; error?: { code: number; message: string } }
  if (answer.error === undefined) return typeof answer.result === 'string' ? 'result' : undefined
  const { code, message } = answer.error
  if (code !== -32000 && code !== 3) return undefined
  return errorKinds.some((kind) => kind.test(message)) ? message.replace(/\d+/g, 'N') : undefined
}
