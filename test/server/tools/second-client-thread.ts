// The ordinary client in a thread of its own: attackers in its thread would delay the moment at which it sees an answer.
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { askUntil, type ClientReport, type SlowAnswer } from './second-client.js'

/** An answer that took long, and the attacks that ran when it came. */
export interface AttackedAnswer extends SlowAnswer {
  readonly during: readonly string[]
}

/** A client that asks until it is stopped. */
export interface SecondClient {
  /** Ends it after the answer that it waits for. `slowest` has the ten slowest answers, slowest first. */
  stop(): Promise<ClientReport & { readonly slowest: readonly AttackedAnswer[] }>
}

type Message =
  | { readonly kind: 'began' }
  | { readonly kind: 'slow'; readonly answer: SlowAnswer }
  | { readonly kind: 'report'; readonly report: ClientReport }

/** Resolves when the client has learned its requests. */
export async function startSecondClient(
  url: string,
  fixture: string,
  runningAttacks: () => readonly string[],
): Promise<SecondClient> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, fixture } })
  const slow: AttackedAnswer[] = []
  const report = new Promise<ClientReport>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (message: Message) => {
      if (message.kind === 'slow') slow.push({ ...message.answer, during: runningAttacks() })
      if (message.kind === 'report') resolve(message.report)
    })
  })
  // Nobody waits for it while the client runs.
  report.catch(() => {})
  // The first message says that it has begun; an error rejects.
  await once(worker, 'message')
  return {
    async stop() {
      worker.postMessage('stop')
      const seen = await report
      const slowest = slow.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 10)
      return { ...seen, slowest }
    },
  }
}

if (!isMainThread) {
  const { url, fixture } = workerData as { url: string; fixture: string }
  const stop = new AbortController()
  const send = (message: Message) => parentPort!.postMessage(message)
  parentPort!.once('message', () => stop.abort())
  const report = await askUntil(stop.signal, url, fixture, {
    begin: () => send({ kind: 'began' }),
    onSlow: (answer) => send({ kind: 'slow', answer }),
  })
  send({ kind: 'report', report })
}
