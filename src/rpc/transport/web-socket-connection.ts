// One WebSocket: messages in, answers out as they are ready, and what keeps either side from being buried. Requests run
// concurrently up to a bound, then the socket is not read; so it is while the client does not read its answers.
// Follows the codec of geth's rpc/websocket.go and ServeCodec in rpc/server.go.
import { setMaxListeners } from 'node:events'
import { type CloseRow, webSocketCloses } from '../error-table.js'
import type { Caller } from '../plans/caller.js'
import type { Service } from '../service.js'
import type { Timeouts } from './timeouts.js'

/** What is used of a WebSocket of the package ws. */
export interface MessageSocket {
  /** Bytes that were sent and are not yet with the operating system. */
  readonly bufferedAmount: number
  send(text: string, done: () => void): void
  ping(): void
  close(code: number, reason: string): void
  terminate(): void
  pause(): void
  resume(): void
  on(event: 'message', listener: (data: Buffer) => void): unknown
  on(event: 'pong' | 'close' | 'error', listener: () => void): unknown
}

/** Requests that are answered at the same time; more are read later. */
const maxRunning = 256
/** Answers that may wait for the client to read them; with more, requests are read later. */
const maxBufferedBytes = 16 * 1024 * 1024
/** Time that the messages of one socket may take from everybody else at a stretch. */
const turnMilliseconds = 5

interface ConnectionOptions {
  readonly service: Service
  readonly caller: Caller
  readonly timeouts: Timeouts
}

/** A WebSocket that is being served. */
export class WebSocketConnection {
  readonly caller: Caller
  readonly #socket: MessageSocket
  readonly #service: Service
  readonly #timeouts: Timeouts
  readonly #gone = new AbortController()
  /** Messages that were read before reading stopped. */
  readonly #waiting: Uint8Array[] = []
  #running = 0
  #isDraining = false
  #isWorking = false
  /** The last time this side sent something. */
  #sentAt = performance.now()
  /** The last time anything that was sent got to the operating system, while something waits for it. */
  #flushedAt = 0
  #unflushed = 0
  #pingedAt: number | undefined

  constructor(socket: MessageSocket, { service, caller, timeouts }: ConnectionOptions) {
    setMaxListeners(0, this.#gone.signal)
    this.caller = caller
    this.#socket = socket
    this.#service = service
    this.#timeouts = timeouts
    socket.on('message', (data) => {
      if (this.#gone.signal.aborted) return
      this.#waiting.push(data)
      this.#work()
    })
    socket.on('pong', () => {
      this.#pingedAt = undefined
    })
    socket.on('close', () => this.#gone.abort())
  }

  /** Ends the connection with a code; what is under way stops. */
  end({ code, reason }: CloseRow): void {
    if (this.#gone.signal.aborted) return
    this.#gone.abort()
    this.#waiting.length = 0
    this.#socket.close(code, reason)
    // The other side's close comes after everything that it has sent before.
    this.#socket.resume()
  }

  /** Ends the connection as soon as nothing is under way. */
  drain(): void {
    this.#isDraining = true
    this.#endIfDrained()
  }

  /** Ends the connection without a word. */
  terminate(): void {
    this.#socket.terminate()
  }

  /** Looks at the clock; to be called regularly. */
  tick(now: number): void {
    const { write, ping, pong } = this.#timeouts
    if (this.#unflushed > 0) {
      if (now - this.#flushedAt >= write) this.terminate()
    } else if (this.#pingedAt !== undefined) {
      if (now - this.#pingedAt >= pong) this.terminate()
    } else if (now - this.#sentAt >= ping && this.#waiting.length === 0) {
      // A pong could not be read while messages wait.
      this.#pingedAt = now
      this.#sentAt = now
      this.#socket.ping()
    }
  }

  get #canStart(): boolean {
    return this.#running < maxRunning && this.#socket.bufferedAmount <= maxBufferedBytes
  }

  /** Starts what may be started, then reads on or not. */
  #work(): void {
    if (this.#isWorking) return
    const started = performance.now()
    while (this.#waiting.length > 0 && this.#canStart && !this.#gone.signal.aborted) {
      if (performance.now() - started > turnMilliseconds) {
        this.#isWorking = true
        setImmediate(() => {
          this.#isWorking = false
          this.#work()
        })
        break
      }
      this.#answer(this.#waiting.shift()!)
    }
    if (this.#waiting.length > 0) this.#socket.pause()
    else this.#socket.resume()
  }

  #answer(body: Uint8Array): void {
    this.#running++
    const { caller } = this
    const { signal } = this.#gone
    this.#service
      .answer({ caller, body, transport: 'websocket', timeoutMilliseconds: 0, signal })
      .then(({ text, isMalformed }) => {
        this.#running--
        if (text !== undefined) this.#send(text)
        if (isMalformed) this.end(webSocketCloses.notJson)
        this.#endIfDrained()
        this.#work()
      })
  }

  #send(text: string): void {
    if (this.#gone.signal.aborted) return
    this.#sentAt = performance.now()
    if (this.#unflushed++ === 0) this.#flushedAt = this.#sentAt
    this.#socket.send(text, () => {
      this.#unflushed--
      this.#flushedAt = performance.now()
      this.#work()
    })
  }

  #endIfDrained(): void {
    if (this.#isDraining && this.#running === 0 && this.#waiting.length === 0)
      this.end(webSocketCloses.draining)
  }
}
