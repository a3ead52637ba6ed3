// The grammar of JSON as a table: for each state of a scanner and each byte, the next state or an action. Accepts what
// Go's encoding/json accepts, and has its words for what is wrong. Follows encoding/json/scanner.go.

/** Deepest nesting that Go's decoder takes. */
export const maxDepth = 10_000

/** What a scanner does at a byte; smaller numbers of the table are states. */
export const actions = {
  /** The byte does not belong here. */
  fail: 64,
  openObject: 65,
  openArray: 66,
  /** Ends the innermost object or array. */
  close: 67,
  openName: 68,
  openString: 69,
  /** Ends a name or a string. */
  closeString: 70,
  /** The first byte of a number or a literal. */
  beginScalar: 71,
  /** The last byte of `true`, `false` or `null`. */
  endLiteral: 72,
  /** The byte after a number; it belongs to what comes next. */
  endNumber: 73,
} as const

type Action = keyof typeof actions

interface Row {
  /** What Go says about a byte that cannot come in this state. */
  readonly complaint: string
  /** Bytes, and the state or action that follows each of them. */
  readonly next: Readonly<Record<string, string>>
  /** For all other bytes; default `fail`. */
  readonly otherwise?: string
}

const space = ' \t\r\n'
const digits = '0123456789'
const hexDigits = `${digits}abcdefABCDEF`
const noString = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('')

const beginsValue = {
  '{': 'openObject',
  '[': 'openArray',
  '"': 'openString',
  [`-${digits}tfn`]: 'beginScalar',
}
const valueComplaint = 'looking for beginning of value'
const nameComplaint = 'looking for beginning of object key string'
const hexComplaint = 'in \\u hexadecimal character escape'
const exponentComplaint = 'in exponent of numeric literal'

function literalRows(literal: string): [string, Row][] {
  return Array.from(literal.slice(1), (letter, i) => {
    const after = i + 2 === literal.length ? 'endLiteral' : literal.slice(0, i + 2)
    const complaint = `in literal ${literal} (expecting '${letter}')`
    return [literal.slice(0, i + 1), { complaint, next: { [letter]: after } }]
  })
}

/** Every state. A scanner starts in the first one. */
const rows = new Map<string, Row>([
  ['value', { complaint: valueComplaint, next: { [space]: 'value', ...beginsValue } }],
  [
    'valueOrEnd',
    { complaint: valueComplaint, next: { [space]: 'valueOrEnd', ...beginsValue, ']': 'close' } },
  ],
  ['name', { complaint: nameComplaint, next: { [space]: 'name', '"': 'openName' } }],
  ['nameOrEnd', { complaint: nameComplaint, next: { [space]: 'nameOrEnd', '"': 'openName', '}': 'close' } }],
  ['afterName', { complaint: 'after object key', next: { [space]: 'afterName', ':': 'value' } }],
  [
    'afterElement',
    { complaint: 'after array element', next: { [space]: 'afterElement', ',': 'value', ']': 'close' } },
  ],
  [
    'afterMember',
    { complaint: 'after object key:value pair', next: { [space]: 'afterMember', ',': 'name', '}': 'close' } },
  ],
  [
    'string',
    {
      complaint: 'in string literal',
      next: { '"': 'closeString', '\\': 'escape', [noString]: 'fail' },
      otherwise: 'string',
    },
  ],
  ['escape', { complaint: 'in string escape code', next: { '"\\/bfnrt': 'string', u: 'escape0' } }],
  ['escape0', { complaint: hexComplaint, next: { [hexDigits]: 'escape1' } }],
  ['escape1', { complaint: hexComplaint, next: { [hexDigits]: 'escape2' } }],
  ['escape2', { complaint: hexComplaint, next: { [hexDigits]: 'escape3' } }],
  ['escape3', { complaint: hexComplaint, next: { [hexDigits]: 'string' } }],
  ['minus', { complaint: 'in numeric literal', next: { '0': 'zero', '123456789': 'digits' } }],
  ['zero', { complaint: '', next: { '.': 'point', eE: 'exponent' }, otherwise: 'endNumber' }],
  [
    'digits',
    { complaint: '', next: { [digits]: 'digits', '.': 'point', eE: 'exponent' }, otherwise: 'endNumber' },
  ],
  ['point', { complaint: 'after decimal point in numeric literal', next: { [digits]: 'fraction' } }],
  ['fraction', { complaint: '', next: { [digits]: 'fraction', eE: 'exponent' }, otherwise: 'endNumber' }],
  ['exponent', { complaint: exponentComplaint, next: { '+-': 'exponentSign', [digits]: 'exponentDigits' } }],
  ['exponentSign', { complaint: exponentComplaint, next: { [digits]: 'exponentDigits' } }],
  ['exponentDigits', { complaint: '', next: { [digits]: 'exponentDigits' }, otherwise: 'endNumber' }],
  ...literalRows('true'),
  ...literalRows('false'),
  ...literalRows('null'),
])

const names = [...rows.keys()]

/** Number of a state by its name. */
export function stateOf(name: string): number {
  return names.indexOf(name)
}

function codeOf(name: string): number {
  return name in actions ? actions[name as Action] : stateOf(name)
}

/** The next state, or an action, at `state * 256 + byte`. */
export const transitions = Uint8Array.from(
  [...rows.values()].flatMap(({ next, otherwise = 'fail' }) => {
    const row = new Array<number>(256).fill(codeOf(otherwise))
    for (const [bytes, name] of Object.entries(next)) {
      for (const byte of bytes) row[byte.charCodeAt(0)] = codeOf(name)
    }
    return row
  }),
)

/** What Go says about a byte that cannot come in a state. */
export function complaintOf(state: number): string {
  return rows.get(names[state]!)!.complaint
}

const scalarStates: Readonly<Record<string, string>> = { '-': 'minus', '0': 'zero', t: 't', f: 'f', n: 'n' }

/** The state after the first byte of a number or a literal, by this byte. */
export const afterFirstByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  stateOf(scalarStates[String.fromCharCode(byte)] ?? 'digits'),
)
