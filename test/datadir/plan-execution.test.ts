import { expect, it } from 'vitest'
import { planExecution } from '../../src/datadir/plan-execution.js'
import type { StateRange } from '../../src/view/available-states.js'

const range = (layout: StateRange['layout'], from: number, to: number): StateRange => {
  return { layout, fromBlock: BigInt(from), toBlock: BigInt(to) }
}

const canStart = () => true

it('cuts blocks with states before them into pieces', () => {
  const plan = planExecution(
    { from: 1, to: 10 },
    { states: [range('trie', 0, 20)], pieceBlocks: 4, canStart },
  )
  expect(plan).toEqual({
    pieces: [
      { from: 1, to: 4 },
      { from: 5, to: 8 },
      { from: 9, to: 10 },
    ],
    stateless: undefined,
  })
})

it('continues a piece over blocks without states, and starts another one where states are read otherwise', () => {
  const states = [
    range('journal', 53, 60),
    range('disk', 52, 52),
    range('trie', 0, 1),
    range('history', 30, 51),
  ]
  const plan = planExecution({ from: 1, to: 56 }, { states, pieceBlocks: 20, canStart })
  expect(plan.pieces).toEqual([
    { from: 1, to: 30 },
    { from: 31, to: 50 },
    { from: 51, to: 52 },
    { from: 53, to: 53 },
    { from: 54, to: 56 },
  ])
})

it('names the first blocks if there is no state before them', () => {
  const states = [range('disk', 7, 7)]
  expect(planExecution({ from: 2, to: 9 }, { states, pieceBlocks: 4, canStart })).toEqual({
    pieces: [{ from: 8, to: 9 }],
    stateless: { from: 2, to: 7 },
  })
  expect(planExecution({ from: 2, to: 7 }, { states, pieceBlocks: 4, canStart })).toEqual({
    pieces: [],
    stateless: { from: 2, to: 7 },
  })
})

it('starts no piece with a block that cannot be the first of one', () => {
  const states = [range('trie', 0, 20)]
  const plan = planExecution({ from: 1, to: 9 }, { states, pieceBlocks: 3, canStart: (block) => block !== 4 })
  expect(plan.pieces).toEqual([
    { from: 1, to: 6 },
    { from: 7, to: 9 },
  ])
})
