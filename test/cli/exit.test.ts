import { expect, it, vi } from 'vitest'
import { CommandFailure, reportError } from '../../src/cli/exit.js'
import { rowsAsTable } from '../../src/cli/sql-formats.js'

it('an error message moves no cursor', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  reportError(new CommandFailure('a\u001b[2J\u009b2J\n\tb\r'))
  expect(print.mock.calls).toEqual([['geth-reader: a\\x1b[2J\\x9b2J\n\tb\\x0d']])
  print.mockRestore()
})

it('a name of a column moves no cursor', () => {
  const name = 'a\u001b[2J'
  const table = rowsAsTable()
  const row = { [name]: 'b\u001b[2J' }
  const lines = [...table.header([{ name, type: 'VARCHAR' }], [row]), table.line(row)]
  expect(lines).toEqual(['a\\x1b[2J', '────────', 'b\\x1b[2J'])
})
