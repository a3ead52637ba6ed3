// What the server uses of the package ws, which has no types.
declare module 'ws' {
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  export interface WebSocketServerOptions {
    readonly noServer: true
    /** Bytes of a message; a larger one ends the connection with 1009 as soon as its length is known. */
    readonly maxPayload: number
    readonly perMessageDeflate: boolean
    readonly clientTracking: boolean
    readonly skipUTF8Validation: boolean
    /** Milliseconds after which a connection whose close is not answered is cut. */
    readonly closeTimeout: number
  }

  export class WebSocketServer {
    constructor(options: WebSocketServerOptions)
    handleUpgrade<T>(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      accept: (socket: T) => void,
    ): void
  }
}
