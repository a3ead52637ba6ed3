// Draws the frames of a transaction as a tree of lines: opcode, target, call, value, gas, result and logs.
import type { Hex } from '../bytes.js'
import type { CallTrace } from '../evm/engine.js'
import type { AbiDecoder } from './abi-decoder.js'
import { plainText } from './cell-text.js'

/** How a tree is drawn. */
export interface TreeStyle {
  readonly abi: AbiDecoder | undefined
  /** Whether escape sequences set colours. */
  readonly hasColors: boolean
}

/** Codes of colours. */
const dim = '2'
const red = '31'
const green = '32'
const yellow = '33'
const cyan = '36'

/** Digits of unknown bytes that are shown. */
const shownDigits = 64

type Paint = (color: string, text: string) => string

/** The lines of a tree, from its first frame down. */
export function* treeLines(trace: CallTrace, { abi, hasColors }: TreeStyle): Generator<string> {
  const paint: Paint = (color, text) => (hasColors ? `\u001b[${color}m${text}\u001b[0m` : text)
  yield* frameLines(trace, '', '')

  function* frameLines(frame: CallTrace, first: string, rest: string): Generator<string> {
    yield `${paint(dim, first)}${frameText(frame, { abi, paint })}`
    const { calls = [], logs = [] } = frame
    // A log has its position among the calls.
    const below = [
      ...logs.map((log) => ({ position: Number(log.position), log })),
      ...calls.map((call, i) => ({ position: i + 0.5, call })),
    ].sort((a, b) => a.position - b.position)
    for (const [i, item] of below.entries()) {
      const isLast = i === below.length - 1
      const [branch, line] = [`${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`]
      if ('call' in item) yield* frameLines(item.call, branch, line)
      else yield `${paint(dim, branch)}${paint(yellow, 'LOG')} ${logText(item.log, abi)}`
    }
  }
}

interface FrameStyle {
  readonly abi: AbiDecoder | undefined
  readonly paint: Paint
}

function frameText(frame: CallTrace, { abi, paint }: FrameStyle): string {
  const { type, to, input, output, value, error, revertReason } = frame
  const isCreation = type.startsWith('CREATE')
  const call = isCreation ? '' : callText(input, abi)
  const parts = [
    paint(cyan, type),
    `${to ?? 'no contract'}${call}`,
    ...(isCreation ? [paint(dim, `${byteCount(input)} of init code`)] : []),
    ...(value !== undefined && value !== '0x0' ? [paint(green, `${etherText(BigInt(value))} ETH`)] : []),
    paint(dim, `${count(frame.gasUsed)} gas`),
  ]
  if (error !== undefined) parts.push(paint(red, `✗ ${errorText(error, { abi, output, revertReason })}`))
  else if (output !== undefined && output !== '0x') {
    parts.push(paint(dim, isCreation ? `→ ${byteCount(output)} of code` : `→ ${shortened(output)}`))
  }
  return parts.join(' ')
}

function callText(input: Hex, abi: AbiDecoder | undefined): string {
  if (input === '0x') return ''
  const known = abi?.call(input)
  return known === undefined ? ` ${shortened(input)}` : `.${plainText(known)}`
}

interface FailedFrame {
  readonly abi: AbiDecoder | undefined
  readonly output: Hex | undefined
  readonly revertReason: string | undefined
}

function errorText(error: string, { abi, output, revertReason }: FailedFrame): string {
  if (revertReason !== undefined) return `${error}: ${plainText(JSON.stringify(revertReason))}`
  if (output === undefined || output === '0x') return error
  return `${error}: ${plainText(abi?.error(output) ?? shortened(output))}`
}

function logText(log: NonNullable<CallTrace['logs']>[number], abi: AbiDecoder | undefined): string {
  const { address, topics, data } = log
  const known = abi?.event(topics, data)
  if (known !== undefined) return `${address}.${plainText(known)}`
  return [address, ...topics, ...(data === '0x' ? [] : [shortened(data)])].join(' ')
}

function shortened(bytes: Hex): string {
  const digits = '0x'.length + shownDigits
  return bytes.length <= digits ? bytes : `${bytes.slice(0, digits)}… (${byteCount(bytes)})`
}

function byteCount(bytes: Hex): string {
  return `${count(`0x${((bytes.length - 2) / 2).toString(16)}`)} bytes`
}

function count(quantity: Hex): string {
  return BigInt(quantity).toLocaleString('en-US')
}

/** Ether without zeros at the end. */
function etherText(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0')
  const [whole, fraction] = [digits.slice(0, -18), digits.slice(-18).replace(/0+$/, '')]
  return fraction === '' ? whole : `${whole}.${fraction}`
}
