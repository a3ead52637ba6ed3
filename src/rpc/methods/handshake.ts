// Methods that clients call to learn whom they talk to.
import { quantity } from '../../bytes.js'
import { clientVersion } from '../client-version.js'
import { quoteJson } from '../json/strings.js'
import { method } from '../method.js'
import { schemaOf } from '../schemas.js'

/** Handshake methods by name. */
export const handshakeMethods = {
  eth_chainId: method({
    summary: 'Id of the chain',
    parameters: [],
    result: schemaOf('Quantity'),
    run: ({ view }) => `"${quantity(view.config.chainId)}"`,
  }),

  eth_blockNumber: method({
    summary: 'Number of the head block',
    parameters: [],
    result: schemaOf('Quantity'),
    run: ({ view }) => `"${quantity(view.head().header.number)}"`,
  }),

  eth_syncing: method({
    summary: 'False: a directory is never on its way to another head',
    parameters: [],
    result: { const: false },
    run: () => 'false',
  }),

  /** geth's network id, which is the chain id unless a flag says otherwise. */
  net_version: method({
    summary: 'Id of the network, which is that of the chain',
    parameters: [],
    result: schemaOf('Decimal'),
    run: ({ view }) => `"${view.config.chainId}"`,
  }),

  web3_clientVersion: method({
    summary: 'Name, version, platform and runtime of this program',
    parameters: [],
    result: schemaOf('Text'),
    run: () => quoteJson(clientVersion()),
  }),
}
