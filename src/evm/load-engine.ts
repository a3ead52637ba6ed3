// The engines by name. The one that is not the default is loaded only where it is asked for: it takes a quarter of a
// second.
import type { EvmEngine } from './engine.js'
import { ownEngine } from './own-engine.js'

/** The engine of a name. The same object for every call. */
export async function loadEngine(name: EvmEngine['name'] = 'own'): Promise<EvmEngine> {
  if (name === 'own') return ownEngine
  const { createEthereumjsEngine } = await import('./ethereumjs/engine.js')
  ethereumjs ??= createEthereumjsEngine()
  return ethereumjs
}

let ethereumjs: EvmEngine | undefined
