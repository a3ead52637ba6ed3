// A listening application over a fake backend, with everything a test may want to set.
import type { ChainView } from '../../../src/rpc/backend.js'
import { Service, type ServiceOptions } from '../../../src/rpc/service.js'
import { createHttpApp, type HttpApp, type HttpAppOptions } from '../../../src/rpc/transport/http-server.js'
import type { WebSocketEndpoint } from '../../../src/rpc/transport/web-socket-endpoint.js'
import { type FakeBackend, fakeBackend } from '../fake-backend.js'

/** A chain of 800 blocks that knows nothing but its head. */
export const head: ChainView['head'] = () =>
  ({ header: { number: 800 }, hash: new Uint8Array(32) }) as ReturnType<ChainView['head']>

export type TestAppOptions = Partial<ServiceOptions> &
  Omit<HttpAppOptions, 'service'> & { readonly members?: Parameters<typeof fakeBackend>[0] }

export interface TestApp extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly service: Service
  readonly backend: FakeBackend
  readonly webSockets: WebSocketEndpoint
  readonly renewCertificate: HttpApp['renewCertificate']
}

/** Listens on a free port; `await using app = await startApp()`. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const backend = fakeBackend(options.members ?? { head })
  const service = new Service({ backend, ...options })
  const { app, listen, connections, webSockets, renewCertificate } = await createHttpApp({
    service,
    ...options,
  })
  const url = await listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    port: Number(new URL(url).port),
    service,
    backend,
    webSockets,
    renewCertificate,
    async [Symbol.asyncDispose]() {
      webSockets.drain()
      connections.closeWhenIdle()
      await app.close()
      webSockets.terminate()
    },
  }
}
