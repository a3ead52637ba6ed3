// What the service writes to its log, and the shape of the logger that it writes to: pino's, or any other of that shape.
// No line holds a key, a partner's URL, or arguments of a request.

/** Structured logger; pino is one. */
export interface ServiceLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const ignore = () => {}

/** Writes nothing. */
export const silentLog: ServiceLog = { debug: ignore, info: ignore, warn: ignore, error: ignore }

const runId = Math.floor(Math.random() * 36 ** 6).toString(36)
let requests = 0

/** Id of a request, unique among the runs of a server: `k3x9ab-17`. */
export function nextRequestId(): string {
  return `${runId}-${++requests}`
}
