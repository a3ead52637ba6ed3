import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorCodes, GethReaderError } from '../../src/errors.js'
import {
  type ErrorRow,
  errorAnswers,
  executionErrors,
  httpErrors,
  logErrorAnswers,
  rpcErrors,
  webSocketCloses,
} from '../../src/rpc/error-table.js'
import { invalidParams, toJsonRpcError } from '../../src/rpc/json-rpc-error.js'

const path = '/home/user/.ethereum/geth/chaindata'

function answer(code: ErrorCode, message = 'the text of the error', facts = {}) {
  const {
    code: number,
    message: text,
    data,
  } = toJsonRpcError(new GethReaderError(code, message, { path, ...facts }))
  return data === undefined ? [number, text] : [number, text, data]
}

describe('toJsonRpcError', () => {
  it.each<[ErrorCode, ...unknown[]]>([
    ['NOT_A_DATADIR', -32603, errorCodes.NOT_A_DATADIR],
    ['PERMISSION_DENIED', -32603, errorCodes.PERMISSION_DENIED],
    ['UNSUPPORTED_ENGINE', -32603, errorCodes.UNSUPPORTED_ENGINE],
    ['UNSUPPORTED_FORMAT', -32603, errorCodes.UNSUPPORTED_FORMAT],
    ['VIEW_UNSTABLE', -32603, errorCodes.VIEW_UNSTABLE],
    ['NO_SPACE', -32603, errorCodes.NO_SPACE],
    ['RESOURCE_EXHAUSTED', -32603, errorCodes.RESOURCE_EXHAUSTED],
    ['DAMAGED', -32603, errorCodes.DAMAGED],
    ['MISSING_FILE', -32603, errorCodes.MISSING_FILE],
    ['WORKER_FAILED', -32603, errorCodes.WORKER_FAILED],
    ['MISSING_PACKAGE', -32603, errorCodes.MISSING_PACKAGE],
    ['ABORTED', -32000, 'client has gone'],
    ['CLOSED', -32603, errorCodes.CLOSED],
    ['HISTORY_PRUNED', 4444, 'pruned history unavailable'],
    ['BLOCK_NOT_FOUND', -32000, 'header not found'],
    ['NOT_CANONICAL', -32000, 'hash is not currently canonical'],
    ['BRANCH_UNKNOWN', -32603, errorCodes.BRANCH_UNKNOWN],
    ['INVALID_RANGE', -32602, 'invalid block range params'],
    ['QUEUE_FULL', -32005, 'too many requests are waiting'],
    ['UNSUPPORTED_FORK', -32000, 'the text of the error'],
    ['CALL_REJECTED', -32000, 'the text of the error'],
    ['CALL_FAILED', -32000, 'the text of the error'],
    ['DEADLINE_EXCEEDED', -32000, 'the text of the error'],
  ])('answers %s with code %i and "%s"', (code, ...expected) => {
    expect(answer(code)).toEqual(expected)
  })

  it('answers an unfinished index with its text as data too', () => {
    const text = 'transaction indexing is in progress'
    expect(answer('INDEX_INCOMPLETE')).toEqual([-32000, text, text])
  })

  it('names the range that would fit as Infura does', () => {
    const facts = { limit: 10_000, fromBlock: 0xbde5f8n, toBlock: 0x102dbccn }
    const error = toJsonRpcError(new GethReaderError('TOO_MANY_RESULTS', '', facts))
    expect(JSON.parse(error.toJson())).toEqual({
      code: -32005,
      message: 'query returned more than 10000 results',
      data: { from: '0xbde5f8', limit: 10_000, to: '0x102dbcc' },
    })
  })

  it('names the limit of results', () => {
    expect(answer('TOO_MANY_RESULTS', '', { limit: 10_000 })).toEqual([
      -32005,
      'query returned more than 10000 results',
    ])
  })

  it('gives a revert code 3 and its payload, empty ones too', () => {
    expect(answer('CALL_REVERTED', 'execution reverted: no', { data: '0x08c379a0' })).toEqual([
      3,
      'execution reverted: no',
      '0x08c379a0',
    ])
    expect(answer('CALL_REVERTED', 'execution reverted')).toEqual([3, 'execution reverted', '0x'])
  })

  it('tells a state that is absent from one with holes', () => {
    const root = `0x${'ab'.repeat(32)}`
    expect(answer('STATE_UNAVAILABLE', '', { root })).toEqual([
      -32000,
      `historical state ${'ab'.repeat(32)} is not available`,
    ])
    expect(answer('STATE_UNAVAILABLE', 'missing trie node', { root, key: '0x0102' })).toEqual([
      -32000,
      'missing trie node',
    ])
  })

  it('has other answers for log queries', () => {
    const text = (code: ErrorCode) => toJsonRpcError(new GethReaderError(code, ''), logErrorAnswers)
    expect(text('BLOCK_NOT_FOUND')).toMatchObject({ code: -32000, message: 'unknown block' })
    expect(text('DEADLINE_EXCEEDED')).toMatchObject({ code: -32005, message: 'query timeout exceeded' })
    expect(text('HISTORY_PRUNED')).toMatchObject({ code: 4444 })
  })

  it('keeps JSON-RPC errors as they are and hides everything else', () => {
    const error = invalidParams('no')
    expect(toJsonRpcError(error)).toBe(error)
    expect(toJsonRpcError(new RangeError(path))).toMatchObject({
      code: -32603,
      message: 'method handler crashed',
      cause: expect.any(RangeError),
    })
  })

  it('never shows a path of the machine', () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const error = toJsonRpcError(new GethReaderError(code, 'safe text', { path }))
      expect(error.toJson()).not.toContain('/home')
    }
  })

  it('has an answer for every code', () => {
    expect(Object.keys(errorAnswers).sort()).toEqual(Object.keys(errorCodes).sort())
  })
})

describe('docs/errors.md', () => {
  const table = (...rows: readonly (readonly (string | number)[])[]) => {
    const [top = [], ...rest] = rows.map((row) => row.map(String))
    const widths = top.map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)))
    const line = (row: readonly string[]) =>
      `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
    return [line(top), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n')
  }
  const code = (text: string) => (text === '' ? '' : `\`${text}\``)

  it('shows the tables (npx vitest run test/rpc/error-table.test.ts -u writes it again)', async () => {
    const text = `# Errors

Every error that a client of the service can get, from \`src/rpc/error-table.ts\`. \`<…>\` stands for a fact.

## JSON-RPC

WebSocket messages have no HTTP status. The status of a batch is 200 unless all of it is refused for the same reason.

${table(
  ['code', 'text', 'HTTP', 'meaning'],
  ...Object.values<ErrorRow>(rpcErrors).map((row) => [
    row.code,
    code(row.message),
    row.status ?? 200,
    row.meaning,
  ]),
)}

## From execution

With the texts of geth.

${table(
  ['code', 'meaning'],
  ...Object.values(executionErrors).map(({ code: number, meaning }) => [number, meaning]),
)}

## From the directory

${table(
  ['error of the library', 'code', 'text', 'meaning'],
  ...Object.entries(errorAnswers).map(([name, { code: number, message }]) => [
    code(name),
    number,
    typeof message === 'string' ? code(message) : 'its own, with its facts',
    errorCodes[name as ErrorCode],
  ]),
)}

Log queries answer ${Object.entries(logErrorAnswers)
      .map(([name, { code: number, message }]) => `${code(name)} with ${number} ${code(String(message))}`)
      .join(', and ')}.

\`TOO_MANY_RESULTS\` has \`data\` in the form of Infura: \`{"from": "0x1", "limit": 10000, "to": "0x2f"}\`. \`from\` to \`to\` is the
longest beginning of the range that was found to fit. There is no \`data\` if the first block alone has too many logs, and for
a query by block hash. Some clients (viem, alloy) take -32005 for a rate limit and send the same query again: ask for the
range in \`data\` instead.

## HTTP without JSON

${table(
  ['HTTP', 'text', 'meaning'],
  ...Object.values(httpErrors).map((row) => [row.status, code(row.text), row.meaning]),
)}

## WebSocket closes

${table(
  ['code', 'reason', 'meaning'],
  ...Object.values(webSocketCloses).map((row) => [row.code, code(row.reason), row.meaning]),
)}

A WebSocket ends without a code if no pong comes, or if the client reads nothing, for 30 seconds.
`
    await expect(text).toMatchFileSnapshot('../../docs/errors.md')
  })
})
