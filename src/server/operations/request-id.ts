// Names of requests: what connects an answer with its lines in the log.

const runId = Math.floor(Math.random() * 36 ** 6)
  .toString(36)
  .padStart(6, '0')
let requests = 0

/** Id of a request, hardly ever the same in two runs of a server: `k3x9ab-17`. */
export function nextRequestId(): string {
  return `${runId}-${++requests}`
}
