// Questions and answers between two processes. The kinds of questions, with what is asked and answered, are in messages.ts.

/** Kinds of questions with the types of what is asked and answered. */
type Questions = Readonly<Record<string, { readonly ask: unknown; readonly answer: unknown }>>

/** What answers the questions of the other side. */
type Answers<Q extends Questions> = {
  readonly [Kind in keyof Q]: (value: Q[Kind]['ask']) => Q[Kind]['answer'] | Promise<Q[Kind]['answer']>
}

/** A process at the other end, as node:cluster has it on both sides. */
export interface Peer {
  send(message: unknown, done: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: Message) => void): unknown
}

/** The id of a message that needs no answer. */
const unanswered = 0

type Message =
  | { readonly ask: string; readonly id: number; readonly value: unknown }
  | { readonly answers: number; readonly value: unknown }
  | { readonly answers: number; readonly fault: string }

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** One end: asks the questions `Theirs`, and answers `Mine`. */
export class Channel<Mine extends Questions, Theirs extends Questions> {
  readonly #peer: Peer
  readonly #answers: Answers<Mine>
  readonly #waiting = new Map<number, Waiting>()
  #ids = 0
  #isClosed = false

  constructor(peer: Peer, answers: Answers<Mine>) {
    this.#peer = peer
    this.#answers = answers
    peer.on('message', (message) => this.#receive(message))
  }

  /** Rejects if the other side throws or ends. */
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

  /** As {@link ask}, for what needs no answer. */
  tell<Kind extends keyof Theirs & string>(kind: Kind, value: Theirs[Kind]['ask']): void {
    if (!this.#isClosed) this.#send({ ask: kind, id: unanswered, value })
  }

  /** The other side has ended: all who wait get an error. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(endedError())
    this.#waiting.clear()
  }

  async #receive(message: Message): Promise<void> {
    if ('ask' in message) {
      const { ask, id, value } = message
      try {
        const answer = await this.#answers[ask]!(value)
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
