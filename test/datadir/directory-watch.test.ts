// The watch over a directory on a file system that reports no writes, such as one of a network: regular looks find them.
// Has a process of its own: it replaces functions of node:fs.
import { EventEmitter } from 'node:events'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { openMovingChain } from './moving-chain.js'

const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs')
const { watch } = fs

afterEach(() => replaceWatch(watch))

function replaceWatch(replacement: unknown): void {
  fs.watch = replacement as typeof watch
  syncBuiltinESMExports()
}

class SilentWatcher extends EventEmitter {
  close(): void {}
}

describe('a follower', () => {
  it.each([
    ['reports nothing', () => new SilentWatcher()],
    [
      'has no watch left',
      () => {
        throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
          code: 'ENOSPC',
        })
      },
    ],
    [
      'ends the watch',
      () => {
        const watcher = new SilentWatcher()
        setImmediate(() => watcher.emit('error', new Error('the folder was unmounted')))
        return watcher
      },
    ],
  ])('gets every block if the file system %s', async (_, opened) => {
    let watches = 0
    replaceWatch(() => {
      watches++
      return opened()
    })
    await using moving = await openMovingChain()
    const { chain, writer, main } = moving
    await writer.setHead([main[300]!])
    await chain.refresh()
    const events = chain.watchBlocks({ fromBlock: 301n })[Symbol.asyncIterator]()
    for (let number = 301; number <= 303; number++) {
      await writer.setHead([main[number]!])
      const { value } = await events.next()
      expect(value).toMatchObject({ type: 'block', block: { number: BigInt(number) } })
    }
    expect(watches).toBeGreaterThan(0)
  })
})
