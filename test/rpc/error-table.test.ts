import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorCodes, GethReaderError } from '../../src/errors.js'
import { errorAnswers, logErrorAnswers } from '../../src/rpc/error-table.js'
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

  it.each([10, 100_000])('gives the payload of a revert, here of %i characters', (length) => {
    const data = `0x${'00'.repeat(length / 2)}`
    const json = toJsonRpcError(new GethReaderError('CALL_REVERTED', 'execution reverted', { data })).toJson()
    expect(json).toBe(`{"code":3,"message":"execution reverted","data":"${data}"}`)
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

  it('has different answers for a state that is absent and for one with missing nodes', () => {
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
