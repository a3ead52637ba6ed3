// Bodies as large as they may be, each made to take long: for every method and argument, and for the envelope.
import { methods } from '../../src/rpc/methods/registry.js'

/** Envelopes, and arguments that fill the rest of a body. Each is a start, a piece to repeat, and an end. */
type Filling = readonly [start: string, piece: string, end: string]

const fillings: Readonly<Record<string, Filling>> = {
  zeros: ['"', '0', 'x"'],
  decimal: ['', '7', ''],
  'hex digits': ['"0x', 'a', '"'],
  escapes: ['"', '\\u0041', '"'],
  'control characters': ['"', '\\u0080', '"'],
  surrogates: ['"', '\\ud800', '"'],
  'no UTF-8': ['"', '\xff', '"'],
  'characters of two bytes': ['"', '\xc4\xb0', '"'],
  'empty lists': ['[', '[],', '[]]'],
  'empty texts': ['[', '"",', '""]'],
  numbers: ['[', '1,', '1]'],
  nulls: ['[', 'null,', 'null]'],
  addresses: ['[', `"0x${'ab'.repeat(20)}",`, '""]'],
  hashes: ['[', `"0x${'ab'.repeat(32)}",`, '""]'],
  'short members': ['{', '"a":1,', '"a":1}'],
  'empty names': ['{', '"":1,', '"":1}'],
  'escaped names': ['{', '"\\u0061ddress":null,', '"a":1}'],
  'list of addresses': ['{"address":[', `"0x${'ab'.repeat(20)}",`, '""]}'],
  'list of empty addresses': ['{"address":[', '[],', '[]]}'],
  'list of topics': ['{"topics":[[', `"0x${'ab'.repeat(32)}",`, '""]]}'],
  'an escaped address': ['{"address":"0x', '\\u0041', '"}'],
  'an address that is no UTF-8': ['{"address":"0x', '\xff', '"}'],
  'a topic of two-byte characters': ['{"topics":["0x', '\xc4\xb0', '"]}'],
  'list of wildcards': ['{"topics":[', 'null,', 'null]}'],
  'lists of topics': ['{"topics":[', '[null],', 'null]}'],
  'repeated topics': ['{', '"topics":[null,null],', '"a":1}'],
  'repeated blocks': ['{', '"fromBlock":"0x1",', '"a":1}'],
  'repeated block numbers': ['{', '"blockNumber":"0x1",', '"a":1}'],
  'a long name': ['{"', '\\u0061', '":1}'],
  space: ['[', ' ', ']'],
}

const withdrawals: Filling = ['{"blockOverrides":{"withdrawals":[', '{},', '{}]}}']
const tracerFillings: Readonly<Record<string, Filling>> = {
  'tracers of a muxTracer': ['{"tracer":"muxTracer","tracerConfig":{', '"a":{},', '"a":{}}}'],
  opcodes: ['{"tracer":"erc7562Tracer","tracerConfig":{"ignoredOpcodes":[', '"0x1",', '"0x1"]}}'],
}

/** What fills arguments of some schemas alone. */
const fillingsOf: Readonly<Record<string, Readonly<Record<string, Filling>>>> = {
  Simulation: {
    'blocks of a simulation': ['{"blockStateCalls":[', '{},', '{}]}'],
    'calls of a simulation': ['{"blockStateCalls":[{"calls":[', '{},', '{}]}]}'],
    'withdrawals of a simulation': [
      `{"blockStateCalls":[${withdrawals[0]}`,
      withdrawals[1],
      `${withdrawals[2]}]}`,
    ],
  },
  TraceConfig: tracerFillings,
  TraceCallConfig: { ...tracerFillings, withdrawals },
}

function filled([start, piece, end]: Filling, bytes: number): string {
  return (
    start + piece.repeat(Math.max(1, Math.floor((bytes - start.length - end.length) / piece.length))) + end
  )
}

const address = `"0x${'ab'.repeat(20)}"`
const ordinary: Readonly<Record<string, string>> = {
  Address: address,
  Hash: `"0x${'ab'.repeat(32)}"`,
  Block: '"latest"',
  BlockNumber: '"latest"',
  ReceiptsBlock: '"latest"',
  Boolean: 'false',
  Call: `{"to":${address}}`,
}

/** A request body, one character for each byte. */
export interface HostileBody {
  readonly name: string
  readonly body: string
  /** Of the argument that fills it. */
  readonly schema?: string
}

/** Every argument of every method, with everything that can fill it. */
export function* hostileArguments(bytes: number): Generator<HostileBody> {
  for (const [method, { parameters }] of methods) {
    for (const [index, { name, schema }] of parameters.entries()) {
      const before = parameters.slice(0, index).map(({ schema }) => ordinary[schema] ?? 'null')
      const head = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${before.map((text) => `${text},`).join('')}`
      for (const [kind, filling] of Object.entries({ ...fillings, ...fillingsOf[schema] })) {
        const body = `${head}${filled(filling, bytes - head.length - 2)}]}`
        yield { name: `${method}, ${name}: ${kind}`, body, schema }
      }
    }
  }
}

/** As {@link hostileArguments}, of each schema the first argument: those of one schema have one decoder. */
export function* hostileSchemas(bytes: number): Generator<HostileBody> {
  const firstOf = new Map<string, string>()
  for (const body of hostileArguments(bytes)) {
    const [argument] = body.name.split(':') as [string]
    if (!firstOf.has(body.schema!)) firstOf.set(body.schema!, argument)
    if (firstOf.get(body.schema!) === argument) yield body
  }
}

/** Everything else that a body can be. */
export function* hostileEnvelopes(bytes: number): Generator<HostileBody> {
  const request = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const around: Readonly<Record<string, Filling>> = {
    'white space': [' ', ' ', ''],
    'white space before a request': [' ', ' ', request],
    'white space after a request': [request, ' ', ''],
    'an unended text': ['"', 'a', ''],
    'a batch of nothing much': ['[', '{},', '{}]'],
    'a batch of numbers': ['[', '1,', '1]'],
    'a batch of lists': ['[', '[],', '[]]'],
    'a batch of requests': ['[', `${request},`, `${request}]`],
    'a batch of notifications': ['[', '{"jsonrpc":"2.0","method":"a"},', '1]'],
    'a batch of long names': ['[', `{"${'\\u0069'.repeat(11)}":1},`, '1]'],
    'a batch cut short': ['[', '{},', '{}'],
    'members of a request': ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId"', ',"a":1', '}'],
    'repeated ids': ['{"jsonrpc":"2.0","method":"eth_chainId"', ',"id":1', '}'],
    'repeated methods': ['{"jsonrpc":"2.0","id":1', ',"method":"eth_chainId"', '}'],
    'repeated arguments': ['{"jsonrpc":"2.0","id":1,"method":"eth_getBalance"', ',"params":[1,2]', '}'],
    'an escaped version': ['{"id":1,"method":"eth_chainId","jsonrpc":"', '\\u0032', '"}'],
    'a long method': ['{"jsonrpc":"2.0","id":1,"method":"', '\\u0061', '"}'],
    'a long method without escapes': ['{"jsonrpc":"2.0","id":1,"method":"', 'a', '"}'],
    'a long id': ['{"jsonrpc":"2.0","method":"eth_chainId","id":"', 'a', '"}'],
    'an id that is no UTF-8': ['{"jsonrpc":"2.0","method":"eth_chainId","id":"', '\xff', '"}'],
    'an id of digits': ['{"jsonrpc":"2.0","method":"eth_chainId","id":', '7', '}'],
    'a subscription': ['{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["', '\\u0080', '"]}'],
    'arguments that are an object': [
      '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":{',
      '"a":1,',
      '"a":1}}',
    ],
    'too many arguments': ['{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{},', '1,', '1]}'],
    nesting: [
      '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":',
      `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
      '}',
    ],
  }
  for (const [name, filling] of Object.entries(around)) yield { name, body: filled(filling, bytes) }
}
