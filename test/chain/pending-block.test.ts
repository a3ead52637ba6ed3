import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/bytes.js'
import { pendingBlock } from '../../src/chain/pending-block.js'
import { decodeHeader, type Header } from '../../src/types/header.js'
import { gethRecords, recordedConfig } from '../types/geth-records.js'

const template = decodeHeader(hexToBytes(gethRecords.blocks.at(-1)!.header))

/** Block after a head that differs from a recorded one in some fields. */
function blockAfter(fields: Partial<Header>, nowSeconds: number, config = recordedConfig) {
  const header = { ...template, ...fields }
  return pendingBlock({ config, head: () => ({ header, hash: new Uint8Array(32) }) }, BigInt(nowSeconds))!
}

interface Fees {
  readonly number: number
  readonly gasLimit: number
  readonly gasUsed: number
  readonly timestamp: number
  readonly baseFeePerGas: number
  readonly blobGasUsed?: number
  readonly excessBlobGas?: number
}

// Pairs of neighbours on the chain of geth-records.json, as geth 1.17.5 made and shows them.
const gasLimit = 60_000_000
const neighbours: readonly (readonly [string, Fees, Omit<Fees, 'gasLimit' | 'gasUsed' | 'blobGasUsed'>])[] = [
  [
    'before Cancun',
    { number: 188, gasLimit, gasUsed: 925_612, timestamp: 1_700_001_880, baseFeePerGas: 9_067 },
    { number: 189, timestamp: 1_700_001_890, baseFeePerGas: 7_969 },
  ],
  [
    'of Cancun for the first time',
    { number: 289, gasLimit, gasUsed: 254_377, timestamp: 1_700_002_890, baseFeePerGas: 7 },
    { number: 290, timestamp: 1_700_002_900, baseFeePerGas: 7, excessBlobGas: 0 },
  ],
  [
    'of Cancun after many blobs',
    {
      number: 325,
      gasLimit,
      gasUsed: 483_491,
      timestamp: 1_700_003_250,
      baseFeePerGas: 7,
      blobGasUsed: 786_432,
      excessBlobGas: 5_898_240,
    },
    { number: 326, timestamp: 1_700_003_260, baseFeePerGas: 7, excessBlobGas: 6_291_456 },
  ],
  [
    'of Prague after no blobs',
    {
      number: 468,
      gasLimit,
      gasUsed: 293_014,
      timestamp: 1_700_004_680,
      baseFeePerGas: 7,
      blobGasUsed: 0,
      excessBlobGas: 2_359_296,
    },
    { number: 469, timestamp: 1_700_004_690, baseFeePerGas: 7, excessBlobGas: 1_572_864 },
  ],
  [
    'of a blob parameter fork',
    {
      number: 637,
      gasLimit,
      gasUsed: 228_897,
      timestamp: 1_700_006_370,
      baseFeePerGas: 7,
      blobGasUsed: 1_966_080,
      excessBlobGas: 4_587_520,
    },
    { number: 638, timestamp: 1_700_006_380, baseFeePerGas: 7, excessBlobGas: 5_242_880 },
  ],
]

function big(value: number | undefined) {
  return value === undefined ? undefined : BigInt(value)
}

describe('pendingBlock', () => {
  it.each(neighbours)('has the fees that the next block %s had', (_name, parent, child) => {
    const { excessBlobGas, blobGasUsed, baseFeePerGas, withdrawalsRoot, ...rest } = template
    const fields = {
      ...rest,
      number: parent.number,
      gasLimit: BigInt(parent.gasLimit),
      gasUsed: BigInt(parent.gasUsed),
      timestamp: BigInt(parent.timestamp),
      baseFeePerGas: BigInt(parent.baseFeePerGas),
      ...(parent.excessBlobGas !== undefined && {
        blobGasUsed: BigInt(parent.blobGasUsed!),
        excessBlobGas: BigInt(parent.excessBlobGas),
      }),
    }
    const head = { header: fields as Header, hash: new Uint8Array(32) }
    const { header } = pendingBlock({ config: recordedConfig, head: () => head }, BigInt(child.timestamp))!
    expect(header).toMatchObject({
      number: child.number,
      timestamp: BigInt(child.timestamp),
      baseFeePerGas: BigInt(child.baseFeePerGas),
    })
    expect(header.excessBlobGas).toBe(big(child.excessBlobGas))
  })

  // consensus/misc/eip1559/eip1559_test.go
  it.each([
    [20_000_000n, 10_000_000n, 1_000_000_000n],
    [20_000_000n, 9_000_000n, 987_500_000n],
    [20_000_000n, 11_000_000n, 1_012_500_000n],
  ])('after a block with gas limit %s and %s gas used has base fee %s', (limit, gasUsed, fee) => {
    const parent = { gasLimit: limit, gasUsed, baseFeePerGas: 1_000_000_000n }
    expect(blockAfter(parent, 1_700_007_000).header.baseFeePerGas).toBe(fee)
  })

  it('raises even the smallest base fee after a full block', () => {
    const parent = { gasLimit: 20_000_000n, gasUsed: 20_000_000n, baseFeePerGas: 1n }
    expect(blockAfter(parent, 1_700_007_000).header.baseFeePerGas).toBe(2n)
  })

  // TestCalcGasLimit in core/block_validator_test.go gives the first two; the rest are the bound of that rule.
  it.each([
    [20_000_000n, 20_019_530n],
    [40_000_000n, 40_039_061n],
    [59_999_000n, 60_000_000n],
    [60_000_000n, 60_000_000n],
    [60_001_000n, 60_000_000n],
    [100_000_000n, 99_902_345n],
  ])('moves a gas limit of %s to %s', (limit, next) => {
    expect(blockAfter({ gasLimit: limit }, 1_700_007_000).header.gasLimit).toBe(next)
  })

  it('is at least a second younger than the head', () => {
    expect(blockAfter({ timestamp: 1_700_007_000n }, 1_700_006_999).header.timestamp).toBe(1_700_007_001n)
    expect(blockAfter({ timestamp: 1_700_007_000n }, 1_700_007_050).header.timestamp).toBe(1_700_007_050n)
  })

  it('has the size that geth gives the same block', () => {
    // geth's own extra data takes 25 bytes more than none.
    const { size } = blockAfter(
      {
        number: 800,
        timestamp: 1_700_007_000n,
        gasLimit: 60_000_000n,
        baseFeePerGas: 7n,
        gasUsed: 0n,
        excessBlobGas: 0n,
        blobGasUsed: 0n,
      },
      1_795_265_716,
    )
    expect(size + 25).toBe(0x25f)
  })

  it('has a slot after the head of Amsterdam', () => {
    const config = { ...recordedConfig, amsterdamTime: 0n }
    expect(blockAfter({ slotNumber: 41n }, 1_700_007_000, config).header.slotNumber).toBe(42n)
    expect(blockAfter({}, 1_700_007_000, config).header.slotNumber).toBe(0n)
  })

  it('has no blob fields if the blob schedule names no active fork', () => {
    const { bpo2 } = recordedConfig.blobSchedule
    const config = { ...recordedConfig, blobSchedule: { bpo5: bpo2! } }
    expect(blockAfter({}, 1_700_007_000, config).header).not.toHaveProperty('excessBlobGas')
  })
})
