import { InvalidArgumentError } from 'commander'
import { describe, expect, it } from 'vitest'
import { parseLevel } from '../../src/cli/log-level.js'
import { formatLine } from '../../src/cli/log-line.js'

describe('formatLine', () => {
  const line = (fields: object) => `${JSON.stringify({ time: '2026-11-21T15:04:05.678Z', ...fields })}\n`

  it('shows time, message and fields, and the level if it is not info', () => {
    expect(
      formatLine(line({ level: 'info', requestId: 'a-1', milliseconds: 3, msg: 'request' }), false),
    ).toBe('15:04:05 request requestId=a-1 milliseconds=3\n')
    expect(formatLine(line({ level: 'warn', fault: 'no such file', msg: 'a worker died' }), false)).toBe(
      '15:04:05 WARN a worker died fault="no such file"\n',
    )
  })

  it('puts a stack below', () => {
    const text = formatLine(line({ level: 'error', stack: 'Error: x\n    at y', msg: 'fault' }), false)
    expect(text).toBe('15:04:05 ERROR fault\nError: x\n    at y\n')
  })

  it('colours levels other than info if the options say so', () => {
    expect(formatLine(line({ level: 'error', msg: 'fault' }), true)).toBe(
      '\x1b[31m15:04:05 ERROR fault\x1b[0m\n',
    )
    expect(formatLine(line({ level: 'info', msg: 'request' }), true)).toBe('15:04:05 request\n')
  })

  it('hides control characters', () => {
    const hostile = {
      level: 'warn',
      msg: 'a\u001b]0;title\u0007',
      fault: '\u001b[2J\u009b2J',
      stack: 'Error: \u001b[2J\n    at y',
    }
    expect(formatLine(line(hostile), false)).toBe(
      '15:04:05 WARN a\\x1b]0;title\\x07 fault=\\x1b[2J\\x9b2J\nError: \\x1b[2J\n    at y\n',
    )
  })

  it('leaves what is no JSON as it is', () => {
    expect(formatLine('no JSON\n', false)).toBe('no JSON\n')
  })
})

describe('parseLevel', () => {
  it('takes names and geth’s numbers', () => {
    expect(['silent', 'warn', '0', '3', '5'].map(parseLevel)).toEqual([
      'silent',
      'warn',
      'silent',
      'info',
      'trace',
    ])
  })

  it.each(['', '6', '-1', 'loud', 'toString'])('refuses %j', (text) => {
    expect(() => parseLevel(text)).toThrow(InvalidArgumentError)
  })
})
