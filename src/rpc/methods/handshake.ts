// Methods that clients call to learn whom they talk to.
import { quantity } from '../../bytes.js'
import { clientVersion } from '../client-version.js'
import { quoteJson } from '../json-text.js'
import { method } from './method.js'

/** Handshake methods by name. */
export const handshakeMethods = {
  eth_chainId: method([], ({ view }) => `"${quantity(view.config.chainId)}"`),

  eth_blockNumber: method([], ({ view }) => `"${quantity(view.head().header.number)}"`),

  /** A directory is never on its way to another head. */
  eth_syncing: method([], () => 'false'),

  /** geth's network id, which is the chain id unless a flag says otherwise. */
  net_version: method([], ({ view }) => `"${view.config.chainId}"`),

  web3_clientVersion: method([], () => quoteJson(clientVersion())),
}
