// Bodies as large as the service takes, each made to be expensive for one part of it. Most are from a review of
// November 2026, where one of them held the service for hours.
import { bytesToHex } from '../../../src/bytes.js'
import type { Random } from '../../random.js'

/** Somewhat below the limit of 5 MiB. */
const length = 5_200_000
const account = `0x${'c0de'.repeat(10)}`
const identity = `0x${'00'.repeat(19)}04`
const modexp = `0x${'00'.repeat(19)}05`

const request = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
const fill = (part: string, size = length) => part.repeat(Math.floor(size / part.length))
const list = (part: string, size = length) => fill(`${part},`, size).slice(0, -1)
const items = (count: number, item: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join()
const word = (i: number) => `"0x${i.toString(16).padStart(64, '0')}"`
const address = (i: number) => `"0x${i.toString(16).padStart(40, '0')}"`

/** Methods that take a text first, with what follows it. */
const methodsOfText: readonly (readonly [method: string, rest: string])[] = [
  ['eth_getBlockReceipts', ''],
  ['eth_getBlockByNumber', ',true'],
  ['eth_getBlockByHash', ',true'],
  ['eth_getBlockTransactionCountByNumber', ''],
  ['eth_getTransactionByHash', ''],
  ['eth_getTransactionReceipt', ''],
  ['eth_getTransactionByBlockNumberAndIndex', ',"0x0"'],
  ['eth_getBalance', ',"latest"'],
  ['eth_getCode', ',"latest"'],
  ['eth_getTransactionCount', ',"latest"'],
  ['eth_getStorageAt', ',"0x0","latest"'],
  ['eth_getProof', ',["0x0"],"latest"'],
  ['eth_call', ',"latest"'],
  ['eth_estimateGas', ',"latest"'],
  ['eth_getLogs', ''],
]

const ofText = (text: (random: Random) => string) => (random: Random) => {
  const [method, rest] = random.pick(methodsOfText)
  return request(method, `["${text(random)}"${rest}]`)
}

/** By name; each body is made when it is sent. */
export const largeBodies: Readonly<Record<string, (random: Random) => Buffer | string>> = {
  'zeros and x': ofText(() => `${fill('0')}x`),
  'receipts of zeros and x': () => request('eth_getBlockReceipts', `["${fill('0')}x"]`),
  digits: ofText(() => fill('9')),
  'hex digits': ofText((random) => `0x${fill(random.pick(['0', 'f']))}`),
  'hex zeros and x': ofText(() => `0x${fill('0')}x`),
  'spaces in text': ofText(() => fill(' ')),
  'control characters': ofText(() => fill('\u0080', length / 2)),
  escapes: ofText(() => fill('\\u0041')),
  'half surrogates': ofText(() => fill('\\ud800')),
  'bytes that are no UTF-8': (random) =>
    Buffer.concat([
      Buffer.from(request('eth_getBalance', '["0x').slice(0, -1)),
      Buffer.alloc(length, random.pick([0x80, 0xff, 0xe0])),
      Buffer.from('","latest"]}'),
    ]),
  'storage position of control characters': () =>
    request('eth_getStorageAt', `["${account}","${fill('\u0080', length / 2)}","latest"]`),
  'empty objects': () => `[${list('{}')}]`,
  'numbers in a batch': () => `[${list('1')}]`,
  'empty lists': () => `[${list('[]')}]`,
  'small calls': () => `[${list('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')}]`,
  members: () => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId",${list('"a":1')}}`,
  ids: () => `{"jsonrpc":"2.0",${list('"id":1')},"method":"eth_chainId"}`,
  'escapes in an unknown member': () =>
    `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","x":"${fill('\\u0041')}"}`,
  'escaped member names': () =>
    `{"jsonrpc":"2.0","id":1,"method":"eth_chainId",${list('"\\u006d\\u0065\\u0074":1')}}`,
  'nested lists': () => fill('['),
  'nested lists that end': () => `${fill('[', length / 2)}${fill(']', length / 2)}`,
  'nested objects': () => fill('{"a":'),
  'white space': (random) => fill(random.pick([' ', '\n', '\t'])),
  'a long id': () => `{"jsonrpc":"2.0","id":"${fill('a')}","method":"eth_chainId"}`,
  'a long number as id': () => `{"jsonrpc":"2.0","id":${fill('9')},"method":"eth_chainId"}`,
  'a long method name': () => `{"jsonrpc":"2.0","id":1,"method":"${fill('a')}"}`,
  'text that does not end': () => `{"jsonrpc":"2.0","id":1,"method":"${fill('a')}`,
  'text of backslashes': () => `{"jsonrpc":"2.0","id":1,"method":"${fill('\\\\')}"}`,
  'many arguments': (random) => request(random.pick(methodsOfText)[0], `[${list('0')}]`),
  'addresses that are lists': () => request('eth_getLogs', `[{"address":[${list('[]')}]}]`),
  'many addresses': () => request('eth_getLogs', `[{"address":[${items(110_000, address)}]}]`),
  'many topics': () => request('eth_getLogs', `[{"topics":[[${items(70_000, word)}]]}]`),
  'topics that are lists': () => request('eth_getLogs', `[{"topics":[${list('[]')}]}]`),
  'many storage keys': () => request('eth_getProof', `["${account}",[${items(70_000, word)}],"latest"]`),
  'overridden accounts': (random) =>
    request(
      random.pick(['eth_call', 'eth_estimateGas']),
      `[{"to":"${account}"},"latest",{${items(60_000, (i) => `${address(i)}:{"balance":"0x${(i + 1).toString(16)}"}`)}}]`,
    ),
  'overridden slots': (random) =>
    request(
      'eth_call',
      `[{"to":"${account}"},"latest",{"${account}":{"${random.pick(['state', 'stateDiff'])}":{${items(30_000, (i) => `${word(i)}:${word(i + 1)}`)}}}}]`,
    ),
  'overridden code': () =>
    request('eth_call', `[{"to":"${account}"},"latest",{"${account}":{"code":"0x${fill('5b')}"}}]`),
  authorizations: (random) =>
    request(
      random.pick(['eth_call', 'eth_estimateGas']),
      `[{"to":"${account}","authorizationList":[${items(7_000, (i) => authorization(i, random))}]},"latest"]`,
    ),
  'access list of keys': (random) =>
    request(
      random.pick(['eth_call', 'eth_createAccessList']),
      `[{"to":"${account}","accessList":[{"address":"${account}","storageKeys":[${items(70_000, word)}]}]},"latest"]`,
    ),
  'access list of accounts': () =>
    request(
      'eth_call',
      `[{"to":"${account}","accessList":[${items(60_000, (i) => `{"address":${address(i)},"storageKeys":[]}`)}]},"latest"]`,
    ),
  'data for the identity': () =>
    request('eth_call', `[{"to":"${identity}","data":"0x${fill('ab')}"},"latest"]`),
  'numbers for modexp': (random) => {
    const size = 11_000
    const sizes = items(3, () => size.toString(16).padStart(64, '0')).replaceAll(',', '')
    const block = random.pick(['0x1', '0x60', 'latest'])
    return request('eth_call', `[{"to":"${modexp}","data":"0x${sizes}${'ff'.repeat(3 * size)}"},"${block}"]`)
  },
  'log queries over everything': () =>
    `[${list('{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0"}]}', 90_000)}]`,
  'full blocks': () =>
    `[${items(1_000, (i) => request('eth_getBlockByNumber', `["0x${(i % 340).toString(16)}",true]`))}]`,
}

/** An authorization with a signature that has the right form, so that its signer is computed. */
function authorization(i: number, random: Random): string {
  const scalar = () => `0x${bytesToHex(random.bytes(31)).slice(2).replace(/^0+/, '')}`
  return `{"chainId":"0x0","address":${address(i)},"nonce":"0x0","yParity":"0x${i & 1}","r":"${scalar()}","s":"${scalar()}"}`
}
