// Names of methods by namespace, and by the entries of a plan's list: a method, or a namespace with all of its methods (`debug_*`).
import { namespaceOf } from './method.js'
import { methods } from './methods/registry.js'
import { knownNamespaces, ownNamespace } from './namespaces.js'

/** Names of the methods of these namespaces, and of the one that is always on. */
export function methodsOf(namespaces: readonly string[]): ReadonlySet<string> {
  const on = new Set([...namespaces, ownNamespace])
  return new Set([...methods.keys()].filter((method) => on.has(namespaceOf(method))))
}

/** Whether an entry of a list is a method, or a namespace with all of its methods. */
export function isMethodEntry(entry: string): boolean {
  return methods.has(entry) || (entry.endsWith('_*') && knownNamespaces.includes(entry.slice(0, -2)))
}

/** Names of the methods that the entries of a list stand for. */
export function methodsOfEntries(entries: readonly string[]): ReadonlySet<string> {
  const expand = (entry: string) =>
    entry.endsWith('_*')
      ? [...methods.keys()].filter((method) => method.startsWith(entry.slice(0, -1)))
      : [entry]
  return new Set(entries.flatMap(expand))
}
