// The fork ids are those of core/forkid/forkid_test.go of geth 1.17.5 after the last fork of each network.
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import { readChainConfig } from '../../src/rawdb/chain-config.js'
import type { ChainDatabase } from '../../src/rawdb/chain-database.js'
import { parseChainConfig } from '../../src/types/chain-config.js'
import { forkId } from '../../src/types/fork-id.js'
import { knownChainNamed, knownChainOf } from '../../src/types/known-chains.js'

const networks = [
  { name: 'mainnet', chainId: 1n, genesisTime: 0n, id: '0x07c9462e' },
  { name: 'sepolia', chainId: 11_155_111n, genesisTime: 1_633_267_481n, id: '0x268956b6' },
  { name: 'holesky', chainId: 17_000n, genesisTime: 1_695_902_100n, id: '0x9bc6cb31' },
  { name: 'hoodi', chainId: 560_048n, genesisTime: 1_742_212_800n, id: '0x23aa1351' },
]

describe('known networks', () => {
  it.each(networks)('have the forks of geth: $name', ({ name, chainId, genesisTime: timestamp, id }) => {
    const { genesisHash, config } = knownChainNamed(name)!
    const parsed = parseChainConfig(config)
    const hash = hexToBytes(genesisHash)
    expect(parsed.chainId).toBe(chainId)
    expect(bytesToHex(forkId(parsed, { hash, timestamp }, 2_000_000_000n))).toBe(id)
    expect(knownChainOf(hash)?.name).toBe(name)
  })

  it('have the config of geth, whatever is stored', () => {
    const stored = new TextEncoder().encode('{"chainId":1,"homesteadBlock":1150000}')
    const db = { kv: { get: () => stored, descriptor: { path: '' } } } as unknown as ChainDatabase
    const { genesisHash } = knownChainNamed('mainnet')!
    expect(readChainConfig(db, hexToBytes(genesisHash))).toMatchObject({
      osakaTime: 1_764_798_551n,
      terminalTotalDifficulty: 58_750_000_000_000_000_000_000n,
    })
    expect(readChainConfig(db, new Uint8Array(32))).toEqual(parseChainConfig(stored))
  })

  it('are not found by another name or genesis', () => {
    expect(knownChainNamed('unknown')).toBeUndefined()
    expect(knownChainOf(new Uint8Array(32))).toBeUndefined()
  })
})
