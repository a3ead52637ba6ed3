// The precompiled contracts of each fork by address. Follows the tables of core/vm/contracts.go.
import { bytesToHex } from '../../bytes.js'
import type { ForkRules } from '../../types/fork-rules.js'
import { blake2f } from './blake2f.js'
import {
  blsG1Add,
  blsG1MultiScalar,
  blsG2Add,
  blsG2MultiScalar,
  blsMapToG1,
  blsMapToG2,
  blsPairing,
} from './bls12381.js'
import {
  bn254AddByzantium,
  bn254AddIstanbul,
  bn254MultiplyByzantium,
  bn254MultiplyIstanbul,
  bn254PairingByzantium,
  bn254PairingIstanbul,
} from './bn254.js'
import { ecrecover } from './ecrecover.js'
import { identity, ripemd160, sha256 } from './hashes.js'
import { kzgPointEvaluation } from './kzg.js'
import { modexpBerlin, modexpByzantium, modexpOsaka } from './modexp.js'
import { p256Verify } from './p256.js'
import type { Precompile } from './precompile.js'

type Contracts = ReadonlyMap<number, Precompile>

/** The contracts at consecutive addresses from `first` on. */
function from(first: number, ...contracts: readonly Precompile[]): [number, Precompile][] {
  return contracts.map((contract, i) => [first + i, contract])
}

const homestead: Contracts = new Map(from(1, ecrecover, sha256, ripemd160, identity))
const byzantium: Contracts = new Map([
  ...homestead,
  ...from(5, modexpByzantium, bn254AddByzantium, bn254MultiplyByzantium, bn254PairingByzantium),
])
const istanbul: Contracts = new Map([
  ...byzantium,
  ...from(6, bn254AddIstanbul, bn254MultiplyIstanbul, bn254PairingIstanbul, blake2f),
])
const berlin: Contracts = new Map([...istanbul, ...from(5, modexpBerlin)])
const cancun: Contracts = new Map([...berlin, ...from(0x0a, kzgPointEvaluation)])
const prague: Contracts = new Map([
  ...cancun,
  ...from(0x0b, blsG1Add, blsG1MultiScalar, blsG2Add, blsG2MultiScalar, blsPairing, blsMapToG1, blsMapToG2),
])
const osaka: Contracts = new Map([...prague, ...from(5, modexpOsaka), ...from(0x100, p256Verify)])

function contractsOf(rules: ForkRules): Contracts {
  if (rules.osaka) return osaka
  if (rules.prague) return prague
  if (rules.cancun) return cancun
  if (rules.berlin) return berlin
  if (rules.istanbul) return istanbul
  return rules.byzantium ? byzantium : homestead
}

/** The fork's precompiles by address as a number, before any override moves them. */
export function precompileAddresses(rules: ForkRules): ReadonlyMap<number, Precompile> {
  return contractsOf(rules)
}

/** The precompiles of one call. State overrides may remove or copy some of them. */
export class PrecompileSet {
  readonly #contracts: Contracts
  /** Changes by overrides, by address in hex; undefined for a removed precompile. */
  #changes: Map<string, Precompile | undefined> | undefined

  /** The precompiles of a fork; none without rules. */
  constructor(rules?: ForkRules) {
    this.#contracts = rules === undefined ? new Map() : contractsOf(rules)
  }

  /** The precompile at a 20-byte address. */
  at(address: Uint8Array): Precompile | undefined {
    if (this.#changes !== undefined) {
      const key = bytesToHex(address)
      if (this.#changes.has(key)) return this.#changes.get(key)
    }
    for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined
    return this.#contracts.get((address[18]! << 8) | address[19]!)
  }

  /** Copies the precompile at `source` to `target`. */
  copy(source: Uint8Array, target: Uint8Array): void {
    this.#change(target, this.at(source))
  }

  /** Removes the precompile at an address, if there is one. */
  remove(address: Uint8Array): void {
    if (this.at(address) !== undefined) this.#change(address, undefined)
  }

  /** Changes by overrides: address in hex, and the precompile that is there now, if any. */
  changes(): Iterable<readonly [string, Precompile | undefined]> {
    return this.#changes ?? []
  }

  #change(address: Uint8Array, precompile: Precompile | undefined): void {
    this.#changes ??= new Map()
    this.#changes.set(bytesToHex(address), precompile)
  }
}
