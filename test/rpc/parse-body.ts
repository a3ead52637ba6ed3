import { BodyReader, type RpcBody } from '../../src/rpc/message.js'

/** Reads a body in one go; `text` has one character for each byte. */
export function parseBody(text: string, mostCalls: number): RpcBody {
  const reader = new BodyReader(text, mostCalls)
  reader.read()
  return reader.body
}
