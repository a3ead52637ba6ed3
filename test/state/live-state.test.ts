import { expect, it } from 'vitest'
import type { BlockState } from '../../src/evm/block/block-state.js'
import { processBlock } from '../../src/evm/block/process-block.js'
import { onEvmThread, withLibraries } from '../../src/evm/evm-thread.js'
import { LiveState } from '../../src/state/live-state.js'
import type { View } from '../../src/view/view.js'
import { withView } from '../view/with-view.js'

const archive = 'rich-1.17.5-leveldb-hash-archive'

/** The changes of a block on a state. */
async function execute({ chain }: View, number: number, state: LiveState): Promise<BlockState> {
  const block = chain.block({ number })!
  const environment = {
    config: chain.config,
    state,
    blockHash: (ancestor: number) => chain.canonicalHash(ancestor),
    checkTime: () => {},
  }
  const { header, body } = block
  const input = { header, body, senders: chain.senders(block) }
  return withLibraries(() => onEvmThread((thread) => processBlock(input, environment, thread).state))
}

function rootAfter({ chain }: View, number: number): Uint8Array {
  return chain.header({ number })!.header.stateRoot
}

it('has the root of the last block, also if it forgets what it has read after each of them', async () => {
  await withView(archive, async (view) => {
    const first = rootAfter(view, 100)
    for (const forgets of [false, true]) {
      const state = new LiveState(view.states.stateAt(first), view.states.triesAt(first))
      let most = 0
      for (let number = 101; number <= 200; number++) {
        state.apply(await execute(view, number, state))
        if (forgets) state.forget()
        most = Math.max(most, state.bytes)
      }
      expect(state.root).toEqual(first)
      expect(state.commit()).toEqual(rootAfter(view, 200))
      expect(state.root).toEqual(rootAfter(view, 200))
      // After a commit there is nothing that cannot be read again.
      state.forget()
      expect(state.bytes).toBe(0)
      expect(most).toBeGreaterThan(0)
      state.apply(await execute(view, 201, state))
      expect(state.commit()).toEqual(rootAfter(view, 201))
    }
  })
})

it('has the values of the last block without tries', async () => {
  await withView(archive, async (view) => {
    const state = new LiveState(view.states.stateAt(rootAfter(view, 100)), undefined)
    const changes: BlockState[] = []
    for (let number = 101; number <= 160; number++) {
      changes.push(await execute(view, number, state))
      state.apply(changes.at(-1)!)
      state.forget()
    }
    expect(state.commit()).toBeUndefined()
    const stored = view.states.stateAt(rootAfter(view, 160))
    for (const { address, slots } of changes.flatMap((change) => [...change.changes()])) {
      const [found, expected] = [state.account(address), stored.account(address)]
      const { nonce, balance, codeHash } = expected ?? {}
      expect(found && { nonce: found.nonce, balance: found.balance, codeHash: found.codeHash }).toEqual(
        expected && { nonce, balance, codeHash },
      )
      for (const hex of slots.keys()) {
        const slot = Buffer.from(hex.slice(2), 'hex')
        expect(state.storage(address, new Uint8Array(slot))).toEqual(
          stored.storage(address, new Uint8Array(slot)),
        )
      }
    }
  })
})
