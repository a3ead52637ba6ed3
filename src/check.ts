// Checks of arguments. Each takes the name of the argument first, returns the value with its type, and throws a TypeError or
// RangeError that names the argument, what was expected and what came. Wrong arguments have no error code.

/** The names of all members of a shape; a list that lacks one does not compile. */
export type Members<Shape> = Readonly<Record<keyof Shape, true>>

/** Another argument of the same function, to which a member may belong. */
interface OtherArgument {
  readonly name: string
  readonly members: Readonly<Record<string, true>>
}

/** An integer within bounds, both included. */
export function integer(
  name: string,
  value: unknown,
  { from, to = Number.MAX_SAFE_INTEGER }: { readonly from: number; readonly to?: number },
): number {
  if (Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to)
    return value as number
  const bounds = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`
  throw new RangeError(`${name}: expected an integer ${bounds}, got ${describe(value)}`)
}

/** An integer from 0, such as a position in a block. */
export function position(name: string, value: unknown): number {
  return integer(name, value, { from: 0 })
}

/** An integer from 1. */
export function positive(name: string, value: unknown): number {
  return integer(name, value, { from: 1 })
}

/** A number within bounds, both included; without an upper bound also Infinity. */
export function numberFrom(
  name: string,
  value: unknown,
  from: number,
  to = Number.POSITIVE_INFINITY,
): number {
  if (typeof value === 'number' && value >= from && value <= to) return value
  const bounds = to === Number.POSITIVE_INFINITY ? `from ${from}` : `from ${from} to ${to}`
  throw new RangeError(`${name}: expected a number ${bounds}, got ${describe(value)}`)
}

/** A duration in milliseconds; 0 means no limit. */
export function milliseconds(name: string, value: unknown): number {
  return numberFrom(name, value, 0)
}

/** An unsigned bigint. */
export function unsigned(name: string, value: unknown): bigint {
  if (typeof value === 'bigint' && value >= 0n) return value
  throw new TypeError(`${name}: expected an unsigned bigint, got ${describe(value)}`)
}

/** A boolean. */
export function boolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new TypeError(`${name}: expected a boolean, got ${describe(value)}`)
}

/** One of the given words. */
export function oneOf<T extends string>(name: string, value: unknown, words: readonly T[]): T {
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  throw new TypeError(`${name}: expected ${words.join(' or ')}, got ${describe(value)}`)
}

/** An AbortSignal, of any realm; undefined stays undefined. */
export function optionalSignal(name: string, value: unknown): AbortSignal | undefined {
  const isSignal = typeof value === 'object' && value !== null && 'aborted' in value && 'reason' in value
  if (value === undefined || isSignal) return value as AbortSignal | undefined
  throw new TypeError(`${name}: expected an AbortSignal, got ${describe(value)}`)
}

/** A function, or undefined. */
export function optionalCallback(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new TypeError(`${name}: expected a function, got ${describe(value)}`)
}

/** What an array holds, each element parsed with a name of its own. */
export function list<T, R>(name: string, value: readonly T[], parse: (name: string, element: T) => R): R[] {
  if (!Array.isArray(value)) throw new TypeError(`${name}: expected an array, got ${describe(value)}`)
  return value.map((element, i) => parse(`${name}[${i}]`, element))
}

/**
 * Throws unless the value is an object with no other members than the known ones; members that are undefined count as
 * absent. If the member belongs to another argument, the error names that.
 */
export function checkMembers(
  name: string,
  value: unknown,
  known: Readonly<Record<string, true>>,
  other?: OtherArgument,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${name}: expected an object, got ${describe(value)}`)
  }
  for (const member in value) {
    if (Object.hasOwn(known, member) || (value as Record<string, unknown>)[member] === undefined) continue
    const names = Object.keys(known)
    const expected = names.length === 0 ? 'none' : names.join(', ')
    const place = other && Object.hasOwn(other.members, member) ? `; it belongs to ${other.name}` : ''
    throw new TypeError(`${member}: unknown member of ${name}, expected ${expected}${place}`)
  }
}

/** A value as an error message shows it. */
export function describe(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // A bigint or a cycle somewhere inside.
    return String(value)
  }
}
