// Writes numbered batches into a LevelDB directory until a line comes in, then closes it and tells how many.
// Batch n puts n under both `left` and `right` and adds one key of its own.
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ClassicLevel } from 'classic-level'

const [directory, compactAtEnd] = process.argv.slice(2)
const level = new ClassicLevel(directory, {
  keyEncoding: 'utf8',
  valueEncoding: 'view',
  writeBufferSize: 64 * 1024,
  maxFileSize: 1024 * 1024,
})
await level.open()
console.log('open')

let stop = false
process.stdin.once('data', () => {
  stop = true
})
let batches = 0
while (!stop) {
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(batches))
  const padding = randomBytes(1_000)
  await level.batch([
    { type: 'put', key: 'left', value: number },
    { type: 'put', key: `number-${String(batches).padStart(8, '0')}`, value: padding },
    { type: 'put', key: 'right', value: number },
  ])
  batches += 1
  // Fast enough for a flush every few views and a compaction now and then, slow enough to be read to the end.
  if (batches % 20 === 0) await setTimeout(1)
  if (batches === 1) console.log('writing')
}
if (compactAtEnd) {
  // LevelDB leaves tables alone that nothing overlaps, so everything is written once more.
  const view = { keyEncoding: 'view', valueEncoding: 'view' }
  for await (const [key, value] of level.iterator(view)) await level.put(key, value, view)
  await level.compactRange(Buffer.of(0), Buffer.of(0xff), view)
}
await level.close()
console.log(`done ${batches}`)
