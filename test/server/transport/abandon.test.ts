// A process that has to end because of a fault: requests under way get an error first.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createHttpServer } from '../../../src/server/http-server.js'
import { Service } from '../../../src/server/service.js'
import { fakeBackend } from '../../rpc/fake-backend.js'
import { head } from './start-app.js'
import { connectWebSocket } from './web-socket-client.js'

it('a server that is abandoned answers requests under way with -32603, and closes WebSockets', async () => {
  const service = new Service({ backend: fakeBackend({ head }) })
  const server = createHttpServer({ service })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const { closed } = await connectWebSocket(url)
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  // The body does not come to its end.
  socket.write(
    'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  )
  await expect.poll(() => service.keys.find(undefined)!.inFlight.held, { timeout: 10_000 }).toBe(1)
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  server.abandon()
  await once(socket, 'close')
  expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"code":-32603/i)
  expect((await closed).code).toBe(1006)
  await server.close(1_000)
  service.close()
})
