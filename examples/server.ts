// A JSON-RPC server inside of a program, with a key for each customer. Keys can be added while it runs.
// node server.ts ~/.ethereum 8545
import { createHash, randomUUID } from 'node:crypto'
import { openDatadir } from 'geth-reader'
import { createServer, type KeyConfig, type ServiceConfig } from 'geth-reader/server'

const [datadir, port = '8545'] = process.argv.slice(2)
if (datadir === undefined) {
  console.error('usage: node server.ts DATADIR [PORT]')
  process.exit(2)
}

const keys: KeyConfig[] = []
const config = (): ServiceConfig => ({
  plans: {
    free: { requestsPerSecond: 10, maxInFlight: 4, maxBatch: 20 },
    paid: { requestsPerSecond: 500, methods: ['eth_*', 'net_*', 'web3_*', 'debug_*'] },
  },
  keys,
})

const chain = await openDatadir(datadir)
const server = createServer(chain, { port: Number(port), config: config() })
await server.listen()

/** A new key. Only its hash stays in memory. */
function addCustomer(name: string, plan: 'free' | 'paid'): string {
  const key = randomUUID()
  keys.push({ sha256: createHash('sha256').update(key).digest('hex'), plan, name })
  server.reload(config())
  return key
}

console.log(`serving on ${server.url}/v3/${addCustomer('first customer', 'paid')}`)
console.log(`metrics on ${server.operationsUrl}/metrics`)

const stop = async () => {
  await server.close()
  await chain.close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
