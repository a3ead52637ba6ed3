import { type Body, BodyReader } from '../../src/rpc/message.js'

/** Reads a body in one go; `text` has one character for each byte. */
export function parseBody(text: string, mostCalls: number): Body {
  const reader = new BodyReader(text, mostCalls)
  reader.read()
  return reader.body
}
