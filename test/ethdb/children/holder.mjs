// Opens a store, says so, and ends in the way it is told to.
import { openClassicLevelStore } from '../../../dist/ethdb/classic-level/store.js'

const [directory, way] = process.argv.slice(2)
const listeners = () =>
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'newListener', 'removeListener']
    .map((event) => process.listenerCount(event))
    .join()
const before = listeners()
if (way === 'own-listener') {
  process.on('SIGTERM', () => {
    console.log('listener called')
  })
}
const store = await openClassicLevelStore(directory)
if (way === 'late-listener') process.once('SIGTERM', () => console.log('listener called'))
for (const _ of store.scan()) break
console.log(`view ${store.descriptor.directory}`)

switch (way) {
  case 'close':
    await store.close()
    console.log(`listeners ${listeners() === before ? 'gone' : listeners()}`)
    break
  case 'end':
    break // Nothing is left to do, and an open store keeps no process alive.
  case 'exit':
    process.exit(3)
    break
  case 'throw':
    setImmediate(() => {
      throw new Error('thrown on purpose')
    })
    break
  default:
    setInterval(() => undefined, 1_000)
    process.stdin.once('data', () => process.exit(0))
}
