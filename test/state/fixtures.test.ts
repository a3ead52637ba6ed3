import { createMPT } from '@ethereumjs/trie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes, quantity } from '../../src/bytes.js'
import { locateDatadir } from '../../src/datadir/locate.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { iterateLeaves } from '../../src/trie/iterate.js'
import type { NodeReader } from '../../src/trie/node.js'
import { decodeAccount } from '../../src/types/account.js'
import { openView, type View } from '../../src/view/view.js'
import { type Fixture, listFixtures, readTranscripts, type Transcript, unpackFixture } from '../fixtures.js'

const archives = listFixtures().filter(({ scheme, archive }) => scheme === 'hash' && archive)

/** What the state says to a request, in geth's words. Block parameters that are no number or tag are others' tests. */
function answer({ chain, states }: View, { method, params }: StateRequest): string {
  const [address, ...rest] = params
  const block = rest.at(-1)!
  const number = block.startsWith('0x') ? Number(block) : chain.tagNumber(block as 'latest')!
  const state = states.stateAt(chain.header({ number })!.header.stateRoot)
  const account = state.account(hexToBytes(address))
  switch (method) {
    case 'eth_getBalance':
      return quantity(account?.balance ?? 0n)
    case 'eth_getTransactionCount':
      return quantity(account?.nonce ?? 0n)
    case 'eth_getCode':
      return account === undefined ? '0x' : bytesToHex(state.code(account.codeHash))
    case 'eth_getStorageAt':
      return bytesToHex(state.storage(hexToBytes(address), hexToBytes(rest[0]!.slice(2).padStart(64, '0'))))
  }
}

interface StateRequest {
  readonly method: (typeof methods)[number]
  readonly params: readonly [address: string, ...rest: string[]]
}

const methods = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode', 'eth_getStorageAt'] as const
const plainBlock = /^(0x[0-9a-f]{1,8}|latest|earliest|safe|finalized)$/

function isPlain({ request, response }: Transcript): boolean {
  const { method, params } = request
  return (
    methods.includes(method as 'eth_getBalance') &&
    'result' in response &&
    Array.isArray(params) &&
    params.every((param) => typeof param === 'string') &&
    params.length === (method === 'eth_getStorageAt' ? 3 : 2) &&
    /^0x[0-9a-f]{40}$/i.test(params[0]!) &&
    (method !== 'eth_getStorageAt' || /^0x[0-9a-f]{1,64}$/.test(params[1]!)) &&
    plainBlock.test(params.at(-1)!)
  )
}

describe.each(archives)('state of $name', ({ name, recordings }) => {
  let fixture: Fixture
  let view: View

  beforeAll(async () => {
    fixture = await unpackFixture(name)
    view = await openView(locateDatadir(fixture.path), {})
  })
  afterAll(async () => {
    await view?.close()
    await fixture?.[Symbol.asyncDispose]()
  })

  if (recordings !== null) {
    it('answers as geth does', () => {
      const transcripts = readTranscripts(recordings).filter(isPlain)
      for (const method of methods) {
        expect(transcripts.filter((transcript) => transcript.method === method).length).toBeGreaterThan(10)
      }
      for (const { name: caseName, request, response } of transcripts) {
        const found = answer(view, request as unknown as StateRequest)
        expect(`${caseName}: ${found}`).toBe(`${caseName}: ${response['result']}`)
      }
    })
  }

  it('holds in its leaves exactly what its roots commit to', async () => {
    const { chain, db, states } = view
    const reader: NodeReader = {
      node(_path, hash) {
        const node = db.kv.get(hash)
        if (node === undefined) throw new Error(`no node ${bytesToHex(hash)}`)
        return node
      },
    }
    /** Root of the leaves as the oracle computes it. */
    const rootOf = async (root: Uint8Array) => {
      const trie = await createMPT()
      for (const { key, value } of iterateLeaves(root, reader)) await trie.put(key, value)
      return bytesToHex(trie.root())
    }
    const head = chain.head().header.number
    const storageRoots = new Map<string, Uint8Array>()
    for (const number of [0, 1, head >> 1, head]) {
      const { stateRoot } = chain.header({ number })!.header
      expect(await rootOf(stateRoot)).toBe(bytesToHex(stateRoot))
      const state = states.stateAt(stateRoot)
      for (const { value } of iterateLeaves(stateRoot, reader)) {
        const { storageRoot, codeHash } = decodeAccount(value)
        storageRoots.set(bytesToHex(storageRoot), storageRoot)
        expect(bytesToHex(keccak256(state.code(codeHash)))).toBe(bytesToHex(codeHash))
      }
    }
    expect(storageRoots.size).toBeGreaterThan(5)
    for (const [hex, storageRoot] of storageRoots) expect(await rootOf(storageRoot)).toBe(hex)
  })

  it('is there for every block', () => {
    const { chain, states } = view
    for (let number = 0; number <= chain.head().header.number; number++) {
      expect(states.layoutOf(chain.header({ number })!.header.stateRoot)).toBe('trie')
    }
    expect(states.scheme).toBe('hash')
    expect(states.layoutOf(concatBytes(new Uint8Array(31), Uint8Array.of(1)))).toBeUndefined()
  })
})
