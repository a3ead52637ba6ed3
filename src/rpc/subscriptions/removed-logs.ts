// Logs of dropped blocks, as JSON with `removed: true`.
import type { LogJson } from '../../logs/log-json.js'

/** JSON of logs, marked as removed. The text that is replaced is nowhere else, because all other values of a log are hex. */
export function markRemoved(json: string): string {
  return json.replaceAll('"removed":false}', '"removed":true}')
}

/** As {@link markRemoved}, for JSON as bytes. */
export function removedLogs({ length, parts }: LogJson): LogJson {
  return { length, parts: parts.map((part) => Buffer.from(markRemoved(asText(part)), 'latin1')) }
}

function asText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}
