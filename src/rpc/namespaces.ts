// Namespaces of methods, which an operator switches on one by one as in geth: the part of a name before the underscore. Loads no methods.

/** Every namespace that can be switched on, in ascending order. A test compares them with the methods. */
export const knownNamespaces: readonly string[] = ['debug', 'eth', 'net', 'trace', 'txpool', 'web3']

/** Namespaces that are on unless a list says otherwise, as in geth. */
export const defaultNamespaces: readonly string[] = ['eth', 'net', 'web3']

/** The namespace that is always on. */
export const ownNamespace = 'rpc'

/** Throws RangeError, which names the option, for a namespace that does not exist. */
export function checkNamespaces(name: string, namespaces: readonly string[]): void {
  const unknown = namespaces.find(
    (namespace) => !knownNamespaces.includes(namespace) && namespace !== ownNamespace,
  )
  if (unknown === undefined) return
  throw new RangeError(
    `${name}: there is no namespace ${JSON.stringify(unknown)}; known are ${knownNamespaces.join(', ')}`,
  )
}
