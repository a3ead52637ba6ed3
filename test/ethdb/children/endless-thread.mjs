// Thread that opens a descriptor and reads everything again and again until it is told to close.
import { parentPort, workerData } from 'node:worker_threads'
import { openKeyValueDescriptor } from '../../../dist/ethdb/open-key-value-store.js'

let stop = false
parentPort.once('message', () => {
  stop = true
})
try {
  const store = await openKeyValueDescriptor(workerData.descriptor)
  const keys = Array.from(store.scan(), ({ key }) => key)
  parentPort.postMessage('reading')
  while (!stop) {
    for (const key of keys) if (store.get(key) === undefined) throw new Error('a key is gone')
    await new Promise((resolve) => setImmediate(resolve))
  }
  await store.close()
  parentPort.postMessage('closed')
} catch (error) {
  parentPort.postMessage(error.code ?? error.stack)
}
