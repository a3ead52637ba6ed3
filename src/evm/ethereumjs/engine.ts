// STOPGAP
import type { EvmEngine } from '../engine.js'
export function createEthereumjsEngine(): EvmEngine {
  return {
    name: 'ethereumjs',
    call: async () => {
      throw new Error('stopgap')
    },
  }
}
