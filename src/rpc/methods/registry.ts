// All methods by name, rpc_modules and rpc.discover, which describe them.

import { type Method, method, namespaceOf } from '../method.js'
import { openRpcDocument } from '../open-rpc.js'
import { blockMethods } from './block.js'
import { callMethods } from './call.js'
import { configMethods } from './config.js'
import { databaseMethods } from './database.js'
import { feeMethods } from './fee.js'
import { filterMethods } from './filter.js'
import { handshakeMethods } from './handshake.js'
import { headerMethods } from './header.js'
import { logMethods } from './log.js'
import { parityTraceMethods } from './parity-trace.js'
import { poolMethods } from './pool.js'
import { rawMethods } from './raw.js'
import { receiptMethods } from './receipt.js'
import { simulationMethods } from './simulate.js'
import { stateMethods } from './state.js'
import { stateListingMethods } from './state-listing.js'
import { subscriptionMethods } from './subscription.js'
import { traceMethods } from './trace.js'
import { chainTraceMethods } from './trace-chain.js'
import { transactionMethods } from './transaction.js'
import { witnessMethods } from './witness.js'

let document: string | undefined

/** Every method of the service; names are case-sensitive. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({
    ...blockMethods,
    ...headerMethods,
    ...transactionMethods,
    ...rawMethods,
    ...receiptMethods,
    ...logMethods,
    ...filterMethods,
    ...subscriptionMethods,
    ...stateMethods,
    ...callMethods,
    ...feeMethods,
    ...configMethods,
    ...poolMethods,
    ...stateListingMethods,
    ...databaseMethods,
    ...simulationMethods,
    ...traceMethods,
    ...parityTraceMethods,
    ...chainTraceMethods,
    ...witnessMethods,
    ...handshakeMethods,

    rpc_modules: method({
      summary: 'Namespaces that the caller may call, each with its version',
      parameters: [],
      result: { title: 'Versions by namespace', type: 'object', additionalProperties: { type: 'string' } },
      run: ({ methods: callable = methods }) => {
        const namespaces = new Set(Array.from(callable.keys(), namespaceOf))
        return `{${[...namespaces].sort().map((name) => `"${name}":"1.0"`)}}`
      },
    }),

    'rpc.discover': method({
      summary: 'This document',
      parameters: [],
      result: { title: 'OpenRPC document', type: 'object' },
      run() {
        document ??= JSON.stringify(openRpcDocument(methods))
        return document
      },
    }),
  }),
)
