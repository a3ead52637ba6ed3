// A server for operators alone, to have /health, /ready, /metrics and the page on another port than clients.
import { httpErrors } from '../../rpc/error-table.js'
import { Connections } from '../transport/connections.js'
import { hostCheck } from '../transport/host-check.js'
import { type ListenAddress, NodeServer } from '../transport/node-server.js'
import { Router } from '../transport/router.js'
import { defaultTimeouts } from '../transport/timeouts.js'
import { type Operations, operationsEndpoints, pageEndpoint } from './endpoints.js'

/** A server for operators that listens. */
export interface OperationsServer {
  /** `http://127.0.0.1:9545` */
  readonly url: string
  /** Stops at once: nobody waits for a probe. */
  close(): Promise<void>
}

interface OperationsServerOptions extends ListenAddress {
  readonly operations: Operations
  /** Host names that requests may name, `*` for any; default localhost. Addresses always pass. */
  readonly hostNames?: readonly string[]
}

/** Listens for operators; rejects with Node's error. */
export async function startOperationsServer({
  operations,
  hostNames = ['localhost'],
  ...address
}: OperationsServerOptions): Promise<OperationsServer> {
  const connections = new Connections()
  const router = new Router({
    endpoints: new Map([['/', pageEndpoint], ...operationsEndpoints(operations)]),
    isHostAllowed: hostCheck(hostNames),
    refuseBrokenPath: () => httpErrors.notFound,
    onFault: operations.onFault,
  })
  const server = new NodeServer({ router, connections, timeouts: defaultTimeouts })
  const url = await server.listen(address)
  return {
    url,
    async close() {
      connections.destroy()
      await server.close()
    },
  }
}
