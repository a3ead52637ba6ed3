// How long transports wait. The values are geth's where geth has them.

/** Time limits of connections in milliseconds. */
export interface Timeouts {
  /** For the headers of a request, and again for its body. */
  readonly read: number
  /** For the answer to an HTTP request; what is unfinished then is answered with -32002. */
  readonly answer: number
  /** For a client that reads nothing of what was sent to it. */
  readonly write: number
  /** For the next request on an HTTP connection. */
  readonly idle: number
  /** Silence on this side of a WebSocket after which a ping is sent. */
  readonly ping: number
  /** For the pong to it. */
  readonly pong: number
}

/** geth's; an unfinished request is answered 100 ms before geth's write limit would cut it off. */
export const defaultTimeouts: Timeouts = {
  read: 30_000,
  answer: 29_900,
  write: 30_000,
  idle: 120_000,
  ping: 30_000,
  pong: 30_000,
}
