// Methods with which clients find out what they are connected to, and web3_sha3.
import { bytesToHex, quantity } from '../../bytes.js'
import { keccak256 } from '../../kernel/keccak.js'
import { quoteJson } from '../../quote-json.js'
import { clientVersion } from '../client-version.js'
import { method } from '../method.js'
import { decodeBytes } from '../parameters/hex.js'
import { required } from '../parameters/parameter.js'
import { schemaOf } from '../schemas.js'

/** Bytes that are hashed in less than a millisecond. */
const lightBytes = 262_144

/** Handshake methods by name. */
export const handshakeMethods = {
  eth_chainId: method({
    summary: 'Id of the chain',
    parameters: [],
    result: schemaOf('Quantity'),
    run: ({ view }) => `"${quantity(view.chain.config.chainId)}"`,
  }),

  eth_blockNumber: method({
    summary: 'Number of the head block',
    parameters: [],
    result: schemaOf('Quantity'),
    run: ({ view }) => `"${quantity(view.chain.head().header.number)}"`,
  }),

  eth_syncing: method({
    summary: 'False, as geth says without peers; `geth-reader inspect` shows a snap sync',
    parameters: [],
    result: { const: false },
    run: () => 'false',
  }),

  /** geth's network id, which is the chain id unless a flag says otherwise. */
  net_version: method({
    summary: 'Id of the network, which is that of the chain',
    parameters: [],
    result: schemaOf('Decimal'),
    run: ({ view }) => `"${view.chain.config.chainId}"`,
  }),

  net_listening: method({
    summary: 'True, as geth answers whatever it does',
    parameters: [],
    result: { const: true },
    run: () => 'true',
  }),

  net_peerCount: method({
    summary: 'Zero: a directory has no peers',
    parameters: [],
    result: schemaOf('Quantity'),
    run: () => '"0x0"',
  }),

  web3_sha3: method({
    summary: 'Keccak-256 of bytes',
    parameters: [required('data', 'Data', decodeBytes)],
    result: schemaOf('Hash'),
    isHeavy: (data) => data.length > lightBytes,
    run: (_context, data) => `"${bytesToHex(keccak256(data))}"`,
  }),

  web3_clientVersion: method({
    summary: 'Name, version, platform and runtime of this program',
    parameters: [],
    result: schemaOf('Text'),
    run: () => quoteJson(clientVersion()),
  }),
}
