// One WebSocket: messages in, answers out as they are ready, and what keeps each side from flooding the other. Requests run
// concurrently up to a limit and while there is memory for their answers; otherwise the socket is not read. A request counts
// as running until its answer is sent. Follows the codec of geth's rpc/websocket.go and ServeCodec in rpc/server.go.
import { setMaxListeners } from 'node:events'
import type { Duplex } from 'node:stream'
import { type CloseRow, webSocketCloses } from '../../rpc/error-table.js'
import { byteLengthOf, bytesOfText, type JsonText } from '../../rpc/json/json-text.js'
import { rpcError } from '../../rpc/json-rpc-error.js'
import type { ConnectionSubscriptions } from '../../rpc/subscriptions/connection-subscriptions.js'
import type { ByteCharge } from '../byte-budget.js'
import { type Admission, bytesOfOneRequest } from '../plans/admission.js'
import type { Caller } from '../plans/caller.js'
import type { Service } from '../service.js'
import { answerBytes } from './exchange.js'
import type { Timeouts } from './timeouts.js'

/** What is used of a WebSocket of the package ws. */
export interface MessageSocket {
  send(data: string | Uint8Array, options: { readonly binary: boolean }, done: () => void): void
  ping(): void
  close(code: number, reason: string): void
  terminate(): void
  pause(): void
  resume(): void
  on(event: 'message', listener: (data: Buffer) => void): unknown
  on(event: 'pong' | 'close' | 'error', listener: () => void): unknown
}

/** Requests whose answers are not sent; more are read later. */
const maxRunning = 256
/** Time that the messages of one socket may take from everybody else at a stretch. */
const turnMilliseconds = 5
/** Bytes of a message that arrive before they are counted. */
const windowBytes = 4_096
/** Bytes that may arrive after this side has closed, before the other side has. */
const maxBytesAfterClose = 262_144

/** Bytes of notifications that may wait for a client to read them. */
const maxNotificationBytes = 8 * 1024 * 1024

/** Bytes of notifications that may wait even if there is no memory left: those of a moment. */
const freeNotificationBytes = 262_144

interface ConnectionOptions {
  readonly service: Service
  readonly caller: Caller
  readonly timeouts: Timeouts
  /** The connection below the WebSocket. */
  readonly connection: Duplex
}

/** A message that was read, with its bytes. */
interface Message {
  readonly data: Uint8Array
  readonly charge: ByteCharge
}

/** A WebSocket that is being served. */
export class WebSocketConnection {
  readonly caller: Caller
  readonly #socket: MessageSocket
  readonly #connection: Duplex
  readonly #service: Service
  readonly #timeouts: Timeouts
  /** Whose memory it uses: the caller's, or that of this connection if nobody needs a key. */
  readonly #owner: object
  readonly #gone = new AbortController()
  /** Messages that were read before reading stopped. */
  readonly #waiting: Message[] = []
  #running = 0
  #isDraining = false
  /** Whether the rest of the messages is looked at later. */
  #isPaused = false
  /** Bytes that came after the last whole message, and what counts them if they are many. */
  #arriving = 0
  #arrivingCharge: ByteCharge
  #isArrivalPaused = false
  /** The last time this side sent something. */
  #sentAt = performance.now()
  /** The last time anything that was sent got to the operating system, while something waits for it. */
  #flushedAt = 0
  #unflushed = 0
  #pingedAt: number | undefined
  readonly #subscriptions: ConnectionSubscriptions | undefined
  /** Notifications that the operating system does not have yet. */
  readonly #notificationCharge: ByteCharge

  constructor(socket: MessageSocket, { service, caller, timeouts, connection }: ConnectionOptions) {
    setMaxListeners(0, this.#gone.signal)
    this.caller = caller
    this.#socket = socket
    this.#connection = connection
    this.#service = service
    this.#timeouts = timeouts
    this.#owner = service.keys.isOpen ? this : caller
    this.#arrivingCharge = service.bytes.open(this.#owner)
    this.#notificationCharge = service.bytes.open(this.#owner)
    this.#subscriptions = service.openSubscriptions(caller, {
      send: (text) => this.#notify(text),
      fail: () => this.end(webSocketCloses.unknownNews),
    })
    // Before the message that the bytes may complete.
    connection.prependListener('data', ({ length }: Buffer) => this.#onBytes(length))
    socket.on('message', (data) => this.#onMessage(data))
    socket.on('pong', () => {
      this.#pingedAt = undefined
    })
    socket.on('close', () => {
      this.#gone.abort()
      this.#forgetWaiting()
      this.#subscriptions?.close()
      this.#arrivingCharge.release()
      this.#notificationCharge.release()
    })
  }

  /** Ends the connection with a code; what is under way stops. */
  end({ code, reason }: CloseRow): void {
    if (this.#gone.signal.aborted) return
    this.#gone.abort()
    this.#forgetWaiting()
    this.#subscriptions?.close()
    this.#arriving = 0
    this.#socket.close(code, reason)
    // The client's close comes after everything that it has sent before. If there is no memory for that, it is not read,
    // and the connection is cut after a while.
    if (!this.#isArrivalPaused) this.#socket.resume()
  }

  /** Ends the connection as soon as nothing is under way. */
  drain(): void {
    this.#isDraining = true
    this.#endIfDrained()
  }

  /** Ends the connection without a close frame. */
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
    } else if (now - this.#sentAt >= ping && !this.#isBehind) {
      // A pong could not be read while the socket is not.
      this.#pingedAt = now
      this.#sentAt = now
      this.#socket.ping()
    }
  }

  /** Whether more has arrived than can be dealt with now. */
  get #isBehind(): boolean {
    return this.#waiting.length > 0 || this.#isPaused || this.#isArrivalPaused
  }

  #onBytes(length: number): void {
    this.#arriving += length
    if (this.#gone.signal.aborted) {
      if (this.#arriving > maxBytesAfterClose) this.terminate()
      return
    }
    if (this.#arriving <= windowBytes || this.#isArrivalPaused) return
    const charge = this.#arrivingCharge
    const fits = charge.take(this.#arriving - charge.held)
    if (fits === true) return
    this.#isArrivalPaused = true
    this.#readOrNot()
    Promise.resolve(fits).then((fit) => {
      const isWhole = charge !== this.#arrivingCharge
      if (!fit && !isWhole && !this.#gone.signal.aborted) {
        this.#service.metrics.countRefusal('memory')
        return this.end(webSocketCloses.noMemory)
      }
      this.#isArrivalPaused = false
      this.#readOrNot()
    })
  }

  #onMessage(data: Buffer): void {
    if (this.#gone.signal.aborted) return
    this.#arriving = 0
    const charge = this.#arrivingCharge
    charge.settle(data.length)
    this.#arrivingCharge = this.#service.bytes.open(this.#owner)
    this.#waiting.push({ data, charge })
    this.#work()
  }

  /** Starts what may be started, then reads on or not. */
  #work(): void {
    if (this.#isPaused) return
    const started = performance.now()
    while (this.#waiting.length > 0 && this.#running < maxRunning && !this.#gone.signal.aborted) {
      if (performance.now() - started > turnMilliseconds) {
        this.#pauseUntil(new Promise(setImmediate))
        break
      }
      const message = this.#waiting.shift()!
      const fits = message.charge.take(answerBytes)
      if (fits === true) this.#answer(message, true)
      else {
        this.#pauseUntil(Promise.resolve(fits).then((fit) => this.#answer(message, fit)))
        break
      }
    }
    this.#readOrNot()
  }

  #pauseUntil(event: Promise<unknown>): void {
    this.#isPaused = true
    event.then(() => {
      this.#isPaused = false
      this.#work()
    })
  }

  #readOrNot(): void {
    if (this.#isBehind && !this.#gone.signal.aborted) this.#socket.pause()
    else this.#socket.resume()
  }

  /** Answers a message, or refuses it if there is no memory for the answer. */
  #answer({ data, charge }: Message, fits: boolean): void {
    this.#running++
    const admission = this.#service.admit(this.caller, data.length)
    // Message and answer are variables of functions that end before: what waits for a slow client would keep them.
    this.#respond({ data, charge, admission }, fits)
      .then(({ sent }) => sent)
      .then(() => {
        admission.release()
        charge.release()
        this.#running--
        this.#endIfDrained()
        this.#work()
      })
  }

  /** Makes the answer, and begins to send it. */
  async #respond(
    { data, charge, admission }: Message & { readonly admission: Admission },
    fits: boolean,
  ): Promise<{ readonly sent?: Promise<void> }> {
    const service = this.#service
    if (admission.decided instanceof Promise) await admission.decided
    if (!fits) admission.refusal ??= rpcError('memoryExceeded')
    const { signal } = this.#gone
    const subscriptions = this.#subscriptions?.forMessage()
    const { text, isMalformed } =
      admission.refusal === undefined || data.length <= bytesOfOneRequest
        ? await service.answer({
            admission,
            charge,
            body: data,
            transport: 'websocket',
            timeoutMilliseconds: 0,
            signal,
            subscriptions,
          })
        : service.refuse(admission, 'websocket')
    if (text === undefined) return {}
    charge.settle(byteLengthOf(text))
    const sent = this.#send(text)
    subscriptions?.answered()
    if (isMalformed) this.end(webSocketCloses.notJson)
    return { sent }
  }

  /** Sends a notification, or cuts off a client that does not read them. An async function would keep the text until it is sent. */
  #notify(text: string): Promise<void> {
    if (this.#gone.signal.aborted) return Promise.resolve()
    const { length } = text
    const charge = this.#notificationCharge
    const held = charge.held + length
    const fits = charge.takeNow(length)
    if (held > maxNotificationBytes || (!fits && held > freeNotificationBytes)) {
      this.#service.metrics.countRefusal('slow_subscriber')
      this.#gone.abort()
      this.#subscriptions?.close()
      // It would not read a close frame either.
      this.terminate()
      return Promise.resolve()
    }
    charge.settle(held)
    this.#cork()
    return this.#send(text).then(() => charge.settle(charge.held - length))
  }

  /** What is sent in this turn goes to the operating system at once: the logs of a block in one call instead of one for each. */
  #cork(): void {
    if (this.#connection.writableCorked > 0) return
    this.#connection.cork()
    process.nextTick(() => this.#connection.uncork())
  }

  /** Resolves when the operating system has the text, or never will. */
  #send(text: JsonText): Promise<void> {
    if (this.#gone.signal.aborted) return Promise.resolve()
    this.#sentAt = performance.now()
    if (this.#unflushed++ === 0) this.#flushedAt = this.#sentAt
    return new Promise((resolve) => this.#write(text, resolve))
  }

  /** A function of its own, so that `onSent` does not keep the text. */
  #write(text: JsonText, onSent: () => void): void {
    this.#socket.send(typeof text === 'string' ? text : bytesOfText(text), { binary: false }, () => {
      this.#unflushed--
      this.#flushedAt = performance.now()
      onSent()
    })
  }

  #forgetWaiting(): void {
    for (const { charge } of this.#waiting.splice(0)) charge.release()
  }

  #endIfDrained(): void {
    if (this.#isDraining && this.#running === 0 && this.#waiting.length === 0 && !this.#isPaused)
      this.end(webSocketCloses.draining)
  }
}
