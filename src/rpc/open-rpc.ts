// The OpenRPC document: made of the method table and the error table.
// Follows https://spec.open-rpc.org, version 1.3.2.
import { packageVersion } from './client-version.js'
import { rpcErrors } from './error-table.js'
import type { Method } from './method.js'
import { schemaOf, schemas } from './schemas.js'

/** The document as an object for JSON. */
export function openRpcDocument(methods: ReadonlyMap<string, Method>): object {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'geth-reader',
      description: 'Ethereum JSON-RPC, answered from the data directory of a go-ethereum node.',
      version: packageVersion(),
      license: { name: 'MIT' },
    },
    methods: Array.from(methods, ([name, method]) => describe(name, method)),
    components: { schemas, errors: describeErrors() },
  }
}

function describe(name: string, { summary, parameters, result }: Method): object {
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: parameters.map(({ name, schema, absent }) => ({
      name,
      required: absent === undefined,
      schema: schemaOf(schema),
    })),
    result: { name: 'result', schema: result },
  }
}

/** Errors of protocol and service; `<name>` in a message stands for a fact. */
function describeErrors(): object {
  return Object.fromEntries(
    Object.entries(rpcErrors).map(([kind, { code, message }]) => [kind, { code, message }]),
  )
}
