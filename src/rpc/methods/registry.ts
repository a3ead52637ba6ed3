// All methods by name.
import { blockMethods } from './block.js'
import { callMethods } from './call.js'
import { handshakeMethods } from './handshake.js'
import { logMethods } from './log.js'
import type { Method } from './method.js'
import { receiptMethods } from './receipt.js'
import { stateMethods } from './state.js'
import { transactionMethods } from './transaction.js'

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
  }),
)
