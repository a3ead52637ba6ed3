// Requests that are not plain ASCII, with the answers of a running geth 1.17.5 (2026-11-22): geth looks at bytes.

import { describe, expect, it } from 'vitest'
import { bytesOfText } from '../../src/rpc/json/json-text.js'
import { Service } from '../../src/server/service.js'
import { fakeBackend } from '../rpc/fake-backend.js'

const view = {
  config: { chainId: 1337n },
  tagNumber: () => 1,
  header: () => ({ header: { number: 1 }, hash: new Uint8Array(32) }),
  stateAt: () => ({ storage: () => new Uint8Array(32) }),
}

/** Answers bytes, written as one character each, with a text. */
async function ask(body: string): Promise<string | undefined> {
  return (await answer(body))?.toString()
}

/** As {@link ask}, with one character for each byte. */
async function askBytes(body: string): Promise<string | undefined> {
  return (await answer(body))?.toString('latin1')
}

async function answer(body: string): Promise<Buffer | undefined> {
  const service = new Service({ backend: fakeBackend(view as never) })
  const admission = service.admit(service.keys.find(undefined)!, 0)
  const { signal } = new AbortController()
  const { text } = await service.answer({
    admission,
    body: Buffer.from(body, 'latin1'),
    transport: 'http',
    timeoutMilliseconds: 0,
    signal,
  })
  service.close()
  return text === undefined ? undefined : bytesOfText(text)
}

/** The bytes of a text, one character each. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const request = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`
const address = `"0x${'aa'.repeat(20)}"`
const dotted = utf8('\u0130')

describe('a request in bytes', () => {
  it.each([
    ['a hash of too many bytes', 'eth_getBalance', `"0x${'aa'.repeat(19)}\xff"`, 0, 'odd length'],
    ['a hash of the right number of bytes', 'eth_getBalance', `"0x${'aa'.repeat(19)}\xff\xfe"`, 0, 'invalid'],
  ])('counts each byte of %s', async (_name, method, params, index, what) => {
    const kind = what === 'invalid' ? 'invalid hex string' : 'hex string of odd length'
    expect(JSON.parse((await ask(request(method, params)))!).error).toEqual({
      code: -32602,
      message: `invalid argument ${index}: json: cannot unmarshal ${kind} into Go value of type common.Address`,
    })
  })

  it('shows each byte that is no UTF-8 as U+FFFD in an error text', async () => {
    const answer = await ask(request('eth_getStorageAt', `${address},"\xff\xe2\x82z","latest"`))
    expect(JSON.parse(answer!).error.message).toBe('invalid hex in storage key: "\ufffd\ufffd\ufffdz"')
  })

  it('refuses a character as a hex digit if only its low byte is one', async () => {
    const position = await ask(request('eth_getStorageAt', `${address},"0x${utf8('\u0130\u0131')}","latest"`))
    expect(JSON.parse(position!).error.message).toBe('invalid hex in storage key: "0xİı"')
    const filter = await ask(request('eth_getLogs', `{"address":"0x${dotted.repeat(40)}"}`))
    expect(JSON.parse(filter!).error.message).toBe('invalid argument 0: invalid address: invalid hex string')
    const block = await ask(request('eth_getBlockReceipts', `"0x${dotted.repeat(32)}"`))
    expect(JSON.parse(block!).error.message).toBe('invalid argument 0: invalid hex string')
  })

  it('has names of members in either case, with the characters that Go folds', async () => {
    expect(await ask(utf8('{"j\u017fonrpc":"2.0","ID":1,"method":"eth_chainId"}'))).toBe(
      '{"jsonrpc":"2.0","id":1,"result":"0x539"}',
    )
    const filter = await ask(request('eth_getLogs', utf8('{"bloc\u212aHash":"0x12"}')))
    expect(JSON.parse(filter!).error.message).toBe(
      'invalid argument 0: hex string has length 2, want 64 for common.Hash',
    )
  })

  it('has a method name whose length is that of its UTF-8', async () => {
    const answer = await ask(request('\\u0061\xff'.repeat(1_500), ''))
    expect(JSON.parse(answer!).error.message).toBe('method name too long: 6000 > 2048')
  })

  it('gets its id back', async () => {
    expect(await ask(utf8('{"jsonrpc":"2.0","id":"é\\u00e9","method":"eth_chainId"}'))).toBe(
      '{"jsonrpc":"2.0","id":"é\\u00e9","result":"0x539"}',
    )
  })

  it('gets an id that is no UTF-8 back byte for byte', async () => {
    expect(await askBytes('{"jsonrpc":"2.0","id":"a\xff\xfeb","method":"eth_chainId"}')).toBe(
      '{"jsonrpc":"2.0","id":"a\xff\xfeb","result":"0x539"}',
    )
    const refused =
      '"error":{"code":-32601,"message":"the method eth_nothing does not exist/is not available"}}'
    expect(await askBytes('[{"jsonrpc":"2.0","id":"a\xff<","method":"eth_nothing"}]')).toBe(
      `[{"jsonrpc":"2.0","id":"a\xff<",${refused}]`,
    )
  })
})
