import { describe, expect, it } from 'vitest'
import { planLogScan } from '../../src/logs/plan.js'

const address = { addresses: [new Uint8Array(20)], topics: [] }
const both = { filterMaps: { from: 100, to: 199 }, bloomBits: { from: 0, to: 4095 }, unusedIndexes: [] }
const none = { unusedIndexes: [] }

describe('planLogScan', () => {
  it('tests header blooms if there is no index', () => {
    expect(planLogScan(address, { from: 5, to: 9 }, none)).toEqual([
      { source: 'headerBlooms', from: 5, to: 9 },
    ])
  })

  it('uses an index for the blocks that it covers and header blooms around them', () => {
    const indexes = { filterMaps: { from: 100, to: 199 }, unusedIndexes: [] }
    expect(planLogScan(address, { from: 50, to: 300 }, indexes)).toEqual([
      { source: 'headerBlooms', from: 50, to: 99 },
      { source: 'filterMaps', from: 100, to: 199 },
      { source: 'headerBlooms', from: 200, to: 300 },
    ])
    expect(planLogScan(address, { from: 120, to: 130 }, indexes)).toEqual([
      { source: 'filterMaps', from: 120, to: 130 },
    ])
    expect(planLogScan(address, { from: 200, to: 200 }, indexes)).toEqual([
      { source: 'headerBlooms', from: 200, to: 200 },
    ])
  })

  it('prefers filter maps to bloom bits', () => {
    expect(planLogScan(address, { from: 150, to: 5000 }, both)).toEqual([
      { source: 'filterMaps', from: 150, to: 199 },
      { source: 'bloomBits', from: 200, to: 4095 },
      { source: 'headerBlooms', from: 4096, to: 5000 },
    ])
  })

  it('reads all receipts for a filter that names no value', () => {
    const wildcards = { addresses: [], topics: [[], []] }
    expect(planLogScan(wildcards, { from: 0, to: 10 }, both)).toEqual([
      { source: 'receipts', from: 0, to: 10 },
    ])
  })

  it('keeps to the sources that it is allowed, and to receipts after them', () => {
    expect(planLogScan(address, { from: 0, to: 300 }, both, ['filterMaps'])).toEqual([
      { source: 'receipts', from: 0, to: 99 },
      { source: 'filterMaps', from: 100, to: 199 },
      { source: 'receipts', from: 200, to: 300 },
    ])
    expect(planLogScan(address, { from: 0, to: 300 }, both, [])).toEqual([
      { source: 'receipts', from: 0, to: 300 },
    ])
  })

  it('has no step for a range without blocks', () => {
    expect(planLogScan(address, { from: 5, to: 4 }, both)).toEqual([])
  })
})
