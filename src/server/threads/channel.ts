// Requests and responses between two processes. Which requests there are, with the types of both, is in messages.ts.

/** Kinds of requests, with the types of a request and of its response. */
type Requests = Readonly<Record<string, { readonly ask: unknown; readonly answer: unknown }>>

/** A function for each kind of request that may come. */
type Handlers<R extends Requests> = {
  readonly [Kind in keyof R]: (value: R[Kind]['ask']) => R[Kind]['answer'] | Promise<R[Kind]['answer']>
}

/** A process at the other end, as node:cluster has it on both sides. */
export interface Peer {
  send(message: unknown, done: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: Message) => void): unknown
}

/** The id of a request that gets no response. */
const unanswered = 0

type Message =
  | { readonly ask: string; readonly id: number; readonly value: unknown }
  | { readonly answers: number; readonly value: unknown }
  | { readonly answers: number; readonly fault: string }

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** One end: sends the requests `Theirs`, and responds to `Mine`. */
export class Channel<Mine extends Requests, Theirs extends Requests> {
  readonly #peer: Peer
  readonly #handlers: Handlers<Mine>
  readonly #waiting = new Map<number, Waiting>()
  #ids = 0
  #isClosed = false

  constructor(peer: Peer, handlers: Handlers<Mine>) {
    this.#peer = peer
    this.#handlers = handlers
    peer.on('message', (message) => this.#receive(message))
  }

  /** Rejects if the other process throws or ends. */
  ask<Kind extends keyof Theirs & string>(
    kind: Kind,
    value: Theirs[Kind]['ask'],
  ): Promise<Theirs[Kind]['answer']> {
    const id = ++this.#ids
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw endedError()
      this.#waiting.set(id, { resolve, reject })
      this.#send({ ask: kind, id, value })
    })
  }

  /** As {@link ask}, without a response. */
  tell<Kind extends keyof Theirs & string>(kind: Kind, value: Theirs[Kind]['ask']): void {
    if (!this.#isClosed) this.#send({ ask: kind, id: unanswered, value })
  }

  /** Rejects all requests that wait, because the other process has ended. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(endedError())
    this.#waiting.clear()
  }

  async #receive(message: Message): Promise<void> {
    if ('ask' in message) {
      const { ask, id, value } = message
      try {
        const answer = await this.#handlers[ask]!(value)
        if (id !== unanswered) this.#send({ answers: id, value: answer })
      } catch (error) {
        this.#send({ answers: id, fault: error instanceof Error ? error.message : String(error) })
      }
      return
    }
    const waiting = this.#waiting.get(message.answers)
    this.#waiting.delete(message.answers)
    if ('fault' in message) waiting?.reject(new Error(message.fault))
    else waiting?.resolve(message.value)
  }

  #send(message: Message): void {
    // A process that has ended is noticed by its exit.
    this.#peer.send(message, () => {})
  }
}

function endedError(): Error {
  return new Error('the process at the other end has ended')
}
