// Thread of the conformance suite: opens a descriptor from the build, reads, closes.
import { parentPort, workerData } from 'node:worker_threads'
import { prefixRange } from '../../../dist/ethdb/key-value-reader.js'
import { openKeyValueDescriptor } from '../../../dist/ethdb/open-key-value-store.js'

const store = await openKeyValueDescriptor(workerData.descriptor)
const values = workerData.keys.map((key) => store.get(Buffer.from(key, 'hex')))
const keys = Array.from(store.scan(prefixRange(Buffer.from(workerData.prefix, 'hex'))), ({ key }) =>
  Buffer.from(key).toString('hex'),
)
await store.close()
parentPort.postMessage({ values, keys })
