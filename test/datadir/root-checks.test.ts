// When damage at rest is found, by the setting that says when roots are compared. The damage decodes, so that only the
// root in the header shows it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { GethChain } from '../../src/api/geth-chain.js'
import { ChainProvider } from '../../src/api/provider.js'
import type { Hex } from '../../src/bytes.js'
import { Datadir } from '../../src/datadir/datadir.js'
import { openChainFreezer } from '../../src/freezer/freezer.js'
import type { Logger } from '../../src/logger.js'
import { decodeBody } from '../../src/types/body.js'
import { decodeReceipts } from '../../src/types/receipt.js'
import { type Fixture, unpackFixture } from '../fixtures.js'

const decoders = { bodies: decodeBody, receipts: decodeReceipts }
type Table = keyof typeof decoders

interface Damage {
  readonly number: number
  /** Hash of the first transaction, which the damage is not in. */
  readonly hash: Hex
}

/** Turns over a bit of the last transaction or receipt of a frozen block, in a record that decodes nevertheless. */
function damage(fixture: Fixture, name: Table): Damage {
  const ancient = join(fixture.path, 'geth/chaindata/ancient')
  using freezer = openChainFreezer(ancient)!
  const table = freezer.table(name)!
  const file = join(ancient, 'chain', `${name}.0000.cdat`)
  const bytes = readFileSync(file)
  for (let number = freezer.head - 1; number > 0; number--) {
    const { transactions } = decodeBody(freezer.table('bodies')!.read(number)!)
    if (transactions.length < 2) continue
    const raw = table.readRaw(number)!
    const at = bytes.indexOf(raw)
    for (let i = raw.length - 1; i > raw.length / 2; i--) {
      const changed = Uint8Array.from(raw)
      changed[i]! ^= 1
      if (!decodesOtherwise(name, table.decodeItem(number, raw), () => table.decodeItem(number, changed)))
        continue
      bytes[at + i]! ^= 1
      writeFileSync(file, bytes)
      return { number, hash: `0x${Buffer.from(transactions[0]!.hash).toString('hex')}` }
    }
  }
  throw new Error('no record can be damaged so')
}

/** Whether a changed record decodes, with another last item and the same first one. */
function decodesOtherwise(name: Table, right: Uint8Array, changed: () => Uint8Array): boolean {
  const items = (rlp: Uint8Array) => {
    const decoded = decoders[name](rlp)
    return 'transactions' in decoded ? decoded.transactions : decoded
  }
  const text = (item: unknown) => JSON.stringify(item, (_, v) => (typeof v === 'bigint' ? String(v) : v))
  try {
    const [before, after] = [items(right), items(changed())]
    return (
      before.length === after.length &&
      text(before[0]) === text(after[0]) &&
      text(before.at(-1)) !== text(after.at(-1))
    )
  } catch {
    return false
  }
}

async function openDamaged(fixture: Fixture, verifyRoots: 'always' | 'background' | 'never') {
  const warnings: object[] = []
  const logger = {
    debug() {},
    info() {},
    warn: (fields: object) => warnings.push(fields),
    error() {},
  } as unknown as Logger
  const datadir = await Datadir.open({ path: fixture.path, workers: 1, verifyRoots, logger })
  return { chain: new GethChain(datadir, new ChainProvider(datadir)), datadir, warnings }
}

describe.each(['bodies', 'receipts'] as const)('damage in %s that decodes', (table) => {
  const found = expect.objectContaining({ code: 'DAMAGED', facts: expect.objectContaining({ table }) })

  it('is found before an answer if roots are always compared', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const { hash, number } = damage(fixture, table)
    const { chain } = await openDamaged(fixture, 'always')
    await using _ = chain
    await expect(chain.getTransactionReceipt({ hash })).rejects.toEqual(found)
    await expect(chain.getBlockReceipts({ blockNumber: BigInt(number) })).rejects.toEqual(found)
  })

  it('is found after the answer of a part, and refused from then on', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const { hash, number } = damage(fixture, table)
    const { chain, datadir, warnings } = await openDamaged(fixture, 'background')
    await using _ = chain
    expect(await chain.getTransactionReceipt({ hash })).toMatchObject({ transactionHash: hash })
    while (datadir.rootChecks!.damaged === 0) await setTimeout(10)
    await expect(chain.getTransactionReceipt({ hash })).rejects.toEqual(found)
    await expect(
      chain.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
    ).rejects.toThrow()
    expect(warnings).toEqual([expect.objectContaining({ table, block: String(number) })])
  })

  it('is found before a whole block is answered if parts are compared later', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const { number } = damage(fixture, table)
    const { chain, datadir } = await openDamaged(fixture, 'background')
    await using _ = chain
    await expect(chain.getBlockReceipts({ blockNumber: BigInt(number) })).rejects.toEqual(found)
    expect(datadir.rootChecks).toEqual({ passed: 0, damaged: 0, skipped: 0 })
  })

  it('is found by a scan of blocks only if roots are never compared', async () => {
    await using fixture = await unpackFixture('rich-1.17.5-leveldb-hash-archive')
    const { hash, number } = damage(fixture, table)
    const { chain, datadir } = await openDamaged(fixture, 'never')
    await using _ = chain
    const blockNumber = BigInt(number)
    expect(await chain.getTransactionReceipt({ hash })).toMatchObject({ transactionHash: hash })
    expect(await chain.getBlockReceipts({ blockNumber })).not.toHaveLength(0)
    expect(datadir.rootChecks).toBeUndefined()
    const scan = async () => {
      const range = { fromBlock: blockNumber, toBlock: blockNumber }
      for await (const { receipts } of chain.scanBlocks(range, { include: ['receipts'] })) return receipts
      return undefined
    }
    await expect(scan()).rejects.toEqual(found)
  })
})
