// Entry of the WebAssembly module for secp256k1, which ../public-key.ts loads.
import { prepareRecovery } from './recover'

export { KEY, keysAddress, MOST, recover, SIGNATURE, signaturesAddress } from './recover'

prepareRecovery()
