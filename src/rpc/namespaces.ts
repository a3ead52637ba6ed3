// Namespaces of methods, which an operator switches on one by one as in geth: the part of a name before the underscore.
import { namespaceOf } from './method.js'
import { methods } from './methods/registry.js'

/** Namespaces that are on unless a list says otherwise, as in geth. */
export const defaultNamespaces: readonly string[] = ['eth', 'net', 'web3']

/** The namespace that is always on. */
const ownNamespace = 'rpc'

/** Every namespace that can be switched on, in ascending order. */
export function knownNamespaces(): readonly string[] {
  const all = new Set(Array.from(methods.keys(), namespaceOf))
  return [...all].filter((name) => name !== ownNamespace).sort()
}

/** Names of the methods of these namespaces, and of the one that is always on. */
export function methodsOf(namespaces: readonly string[]): ReadonlySet<string> {
  const on = new Set([...namespaces, ownNamespace])
  return new Set([...methods.keys()].filter((method) => on.has(namespaceOf(method))))
}

/** Whether an entry of a list of methods is one, or a namespace with all of its methods: `debug_*`. */
export function isMethodEntry(entry: string): boolean {
  return methods.has(entry) || (entry.endsWith('_*') && knownNamespaces().includes(entry.slice(0, -2)))
}

/** Names of the methods that the entries of a list stand for. */
export function methodsOfEntries(entries: readonly string[]): ReadonlySet<string> {
  const expand = (entry: string) =>
    entry.endsWith('_*')
      ? [...methods.keys()].filter((method) => method.startsWith(entry.slice(0, -1)))
      : [entry]
  return new Set(entries.flatMap(expand))
}

/** Throws RangeError, which names the option, for a namespace that does not exist. */
export function checkNamespaces(name: string, namespaces: readonly string[]): void {
  const known = knownNamespaces()
  const unknown = namespaces.find((namespace) => !known.includes(namespace) && namespace !== ownNamespace)
  if (unknown === undefined) return
  throw new RangeError(
    `${name}: there is no namespace ${JSON.stringify(unknown)}; known are ${known.join(', ')}`,
  )
}
