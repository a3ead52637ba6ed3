import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'

const module = new URL('../../dist/workers/lower-priority.js', import.meta.url).href
const source = `
  import('node:os').then(async ({ getPriority }) => {
    const { lowerPriority } = await import(${JSON.stringify(module)})
    lowerPriority()
    require('node:worker_threads').parentPort.postMessage(getPriority())
  })`

it.runIf(process.platform === 'linux')(
  'a worker gives way to the main thread, which stays as it is',
  async () => {
    const before = getPriority()
    const worker = new Worker(source, { eval: true })
    const priority = await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    await worker.terminate()
    expect(getPriority()).toBe(before)
    expect(priority).toBe(Math.min(19, before + 10))
  },
)
