// Which tables a directory has, by the names in it. A large store has 300,000.

/** Digits of the number in a name, at least. */
const minDigits = 6

/** Numbers of the tables: names of digits and one of the extensions, each of which has three letters and a dot before them. */
export function tableNumbers(names: readonly string[], extensions: readonly string[]): ReadonlySet<number> {
  const numbers = new Set<number>()
  for (const name of names) {
    if (name.length < minDigits + 4 || !extensions.some((extension) => name.endsWith(extension))) continue
    // Reads the digits up to the dot.
    numbers.add(Number.parseInt(name, 10))
  }
  return numbers
}
