import { describe, expect, it } from 'vitest'
import { ChainProvider } from '../../src/api/provider.js'
import { GethReaderError } from '../../src/errors.js'
import { fakeBackend } from '../rpc/fake-backend.js'

const provider = new ChainProvider(
  fakeBackend({
    head: () => ({ header: { number: 800, gasLimit: 1n }, hash: new Uint8Array(32) }) as never,
    header: () => ({}) as never,
    tagNumber: () => 800,
    runEvm: () =>
      Promise.reject(new GethReaderError('CALL_REVERTED', 'execution reverted: no', { data: '0x08c379a0' })),
  }),
)

describe('provider', () => {
  it('answers with parsed JSON, with and without params', async () => {
    expect(await provider.request({ method: 'eth_blockNumber' })).toBe('0x320')
    expect(await provider.request({ method: 'eth_chainId', params: [] })).toBe('0x539')
    expect(await provider.request({ method: 'eth_syncing' })).toBe(false)
  })

  it('rejects with the error of EIP-1193 and keeps the cause', async () => {
    await expect(provider.request({ method: 'eth_call', params: [{}] })).rejects.toMatchObject({
      name: 'ProviderRpcError',
      code: 3,
      message: 'execution reverted: no',
      data: '0x08c379a0',
      cause: expect.any(GethReaderError),
    })
  })

  it('rejects unknown methods and bad arguments with the codes of JSON-RPC', async () => {
    await expect(provider.request({ method: 'eth_mining' })).rejects.toMatchObject({ code: -32601 })
    const object = provider.request({ method: 'eth_call', params: { to: '0x' } })
    await expect(object).rejects.toMatchObject({ code: -32602, message: 'non-array args' })
    await expect(object).rejects.not.toHaveProperty('data')
  })
})
