// A listening server over a fake backend, with everything a test may want to set.
import type { Chain } from '../../../src/chain/chain.js'
import { createHttpServer, type HttpServer, type HttpServerOptions } from '../../../src/server/http-server.js'
import { Service, type ServiceOptions } from '../../../src/server/service.js'
import type { WebSocketEndpoint } from '../../../src/server/transport/web-socket-endpoint.js'
import { type FakeBackend, fakeBackend } from '../../rpc/fake-backend.js'

/** A chain of 800 blocks that knows nothing but its head. */
export const head: Chain['head'] = () =>
  ({ header: { number: 800 }, hash: new Uint8Array(32) }) as ReturnType<Chain['head']>

/** Longer than any test: what is under way ends by itself. */
const patienceMilliseconds = 600_000

export type TestAppOptions = Partial<ServiceOptions> &
  Omit<HttpServerOptions, 'service'> & { readonly members?: Parameters<typeof fakeBackend>[0] }

export interface TestApp extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly service: Service
  readonly backend: FakeBackend
  readonly webSockets: WebSocketEndpoint
  readonly renewCertificate: HttpServer['renewCertificate']
}

/** Listens on a free port; `await using app = await startApp()`. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const backend = fakeBackend(options.members ?? { head })
  const service = new Service({ backend, ...options })
  const { listen, close, webSockets, renewCertificate } = createHttpServer({ service, ...options })
  const url = await listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    port: Number(new URL(url).port),
    service,
    backend,
    webSockets,
    renewCertificate,
    [Symbol.asyncDispose]: () => close(patienceMilliseconds),
  }
}
