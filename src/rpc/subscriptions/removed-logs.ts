// Logs of dropped blocks, as JSON with `removed: true`.
import type { LogJson } from '../../logs/log-json.js'

/** The same logs, marked as removed. All other values in a log are hex. */
export function removedLogs({ length, parts }: LogJson): LogJson {
  const mark = (part: Uint8Array) =>
    Buffer.from(asText(part).replaceAll('"removed":false}', '"removed":true}'), 'latin1')
  return { length, parts: parts.map(mark) }
}

function asText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
