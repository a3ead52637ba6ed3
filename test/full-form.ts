// Tests have two forms. `npm test` runs all of them in a short form, `npm run test:full` runs those that import this file
// with every fixture, more rounds and larger numbers.

/** Whether tests run in their full form. */
export const isFull = process.env['GETH_READER_TESTS'] === 'full'

/** All items in the full form, so many of them in the short one, spread evenly from the first on. */
export function sample<T>(items: readonly T[], count: number): readonly T[] {
  if (isFull || items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!)
}
