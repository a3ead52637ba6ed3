// Which host names a request may name, so that a web page cannot reach a local server through a name of its own.
// Follows newVHostHandler in geth's node/rpcstack.go.
import { isIP } from 'node:net'

/** Without its port, as Go's SplitHostPort takes it apart; the whole text if that fails. */
function hostName(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*)):[^:]*$/.exec(host) ?? []
  return (bracketed ?? plain ?? host).toLowerCase()
}

/** A test for Host headers: no header, addresses and the given names pass, with `*` everything. */
export function hostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const allowed = new Set(names.map((name) => name.toLowerCase()))
  if (allowed.has('*')) return () => true
  return (host = '') => {
    const name = hostName(host)
    return name === '' || isIP(name) !== 0 || allowed.has(name)
  }
}
