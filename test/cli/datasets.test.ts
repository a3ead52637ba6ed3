import { describe, expect, it } from 'vitest'
import { run, runAlone } from './run-cli.js'

describe('geth-reader datasets', () => {
  it('lists datasets with their columns', async () => {
    const { code, stdout } = await runAlone('datasets')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^blocks: headers of blocks, sorted by block_number\n {2}block_hash +binary +hash of the block\n/,
    )
    expect(stdout).toContain('  total_difficulty*? ')
  })

  it('prints JSON of the named ones', async () => {
    const { stdout } = await run('datasets', 'withdrawals', '--json')
    const [withdrawals, ...others] = JSON.parse(stdout)
    expect(others).toEqual([])
    expect(withdrawals).toMatchObject({
      name: 'withdrawals',
      sorted_by: ['block_number', 'withdrawal_index'],
    })
    expect(withdrawals.columns.at(-2)).toMatchObject({
      name: 'timestamp',
      type: 'u32',
      nullable: false,
      default: false,
    })
  })

  it('refuses an unknown name', async () => {
    const { code, stderr } = await run('datasets', 'transaction')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'geth-reader: dataset: no dataset transaction; did you mean transactions?\n',
    })
  })
})
