// All methods by name, and rpc.discover, which describes them.

import { type Method, method } from '../method.js'
import { openRpcDocument } from '../open-rpc.js'
import { blockMethods } from './block.js'
import { callMethods } from './call.js'
import { handshakeMethods } from './handshake.js'
import { logMethods } from './log.js'
import { receiptMethods } from './receipt.js'
import { stateMethods } from './state.js'
import { transactionMethods } from './transaction.js'

let document: string | undefined

/** Every method of the service; names are case-sensitive. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({
    ...blockMethods,
    ...transactionMethods,
    ...receiptMethods,
    ...logMethods,
    ...stateMethods,
    ...callMethods,
    ...handshakeMethods,

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
