import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../src/bytes.js'
import { emptyRoot } from '../../src/constants.js'
import { keccak256 } from '../../src/kernel/keccak.js'
import { findIdAfter, findIndexBlock } from '../../src/state/history/history-index.js'
import {
  changeData,
  decodeHistoryMeta,
  findAccountChange,
  findSlotChange,
} from '../../src/state/history/history-record.js'
import { LayerTable } from '../../src/state/journal/layer-table.js'
import {
  decodeSnapshotJournal,
  decodeSnapshotJournalRoot,
  snapshotJournalRoots,
} from '../../src/state/journal/snapshot-journal.js'
import { SnapshotLayers } from '../../src/state/journal/snapshot-layers.js'
import {
  decodeTrieJournal,
  findJournalLayers,
  indexJournalNodes,
  indexJournalStates,
} from '../../src/state/journal/trie-journal.js'
import { decodeSlimAccount } from '../../src/types/account.js'
import { readExample } from '../ethdb/format-example.js'

const example = readExample('src/state/FORMAT.md')
const hash = (byte: string) => hexToBytes(`${byte}${'00'.repeat(30)}${byte}`)
const root = (byte: number) => new Uint8Array(32).fill(byte)

describe('the worked examples of FORMAT.md decode as they say', () => {
  it('trie journal', () => {
    const journal = decodeTrieJournal(example.get('journal.rlp')!)
    expect(journal).toMatchObject({ version: 3, diskRoot: emptyRoot, diskId: 5 })
    expect(findJournalLayers(journal).map(({ root: own, block }) => [own, block])).toEqual([
      [root(0x11), undefined],
      [root(0x22), 100],
    ])
    const nodes = new LayerTable(indexJournalNodes(journal))
    expect(nodes.find(0, new Uint8Array())).toEqual(hexToBytes('c20102'))
    const { accounts, slots } = indexJournalStates(journal)
    expect(new LayerTable(accounts).find(1, hash('aa'))).toEqual(hexToBytes('c3010203'))
    expect(new LayerTable(slots).find(1, hash('bb'), hash('aa'))).toEqual(Uint8Array.of(7))
    expect(new LayerTable(slots).find(0, hash('bb'), hash('aa'))).toBeUndefined()
  })

  it('snapshot journal', () => {
    const bytes = example.get('snapshot.rlp')!
    expect(decodeSnapshotJournalRoot(bytes)).toEqual(root(0x11))
    const journal = decodeSnapshotJournal(bytes)
    expect(snapshotJournalRoots(journal)).toEqual([root(0x22)])
    const layers = new SnapshotLayers(journal)
    expect(layers.account(0, hash('aa'))).toEqual(new Uint8Array())
    expect(layers.slot(0, hash('bb'), hash('aa'))).toEqual(new Uint8Array())
    expect(layers.account(0, hash('cc'))).toEqual(hexToBytes('c3010203'))
    expect(layers.slot(0, hash('bb'), hash('cc'))).toEqual(Uint8Array.of(7))
    expect(layers.account(0, hash('dd'))).toBeUndefined()
  })

  it('state history', () => {
    expect(decodeHistoryMeta(example.get('history.meta')!)).toMatchObject({ version: 0, block: 21 })
    const accounts = example.get('account.index')!
    const data = example.get('account.data')!
    const accountBefore = (address: string) =>
      changeData(data, findAccountChange(accounts, hexToBytes(address))!)
    const contract = findAccountChange(accounts, hexToBytes('c3110cafab6fc6e5af7afff9649b20722b1053e1'))!
    expect(contract).toMatchObject({ dataLength: 0, dataStart: 0, slotsStart: 0, slotCount: 1 })
    const sender = decodeSlimAccount(accountBefore('d0f258eee76116a82cfb247f6f71d89fc12b23a5'))
    expect([sender.nonce, sender.balance]).toEqual([19n, 0xd3c20605cf52e43b408an])
    const miner = decodeSlimAccount(accountBefore('fe00000000000000000000000000000000000000'))
    expect([miner.nonce, miner.balance]).toEqual([0n, 0x011594b0c04cc8d36dn])
    const slots = example.get('storage.index')!
    const slot = concatBytes(new Uint8Array(31), Uint8Array.of(7))
    expect(findSlotChange(slots, keccak256(slot), contract)).toMatchObject({ dataLength: 0, dataStart: 0 })
  })

  it('state history index', () => {
    expect(findIndexBlock(example.get('descriptors')!, 21)).toBe(0)
    expect(findIndexBlock(example.get('descriptors')!, 24)).toBeUndefined()
    expect([0, 21, 22, 23].map((id) => findIdAfter(example.get('block')!, id))).toEqual([22, 22, 24, 24])
  })
})
