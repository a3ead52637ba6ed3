// Loads the curves of precompiles before tests and benches that run precompiles directly.
import { bls12381, bn254, p256 } from '../../src/evm/precompiles/mcl.js'

export async function loadCurves(): Promise<void> {
  await Promise.all([bn254.load(), bls12381.load(), p256.load()])
}
