// The elliptic curves of mcl, a WebAssembly module, by the C functions that it exports: values are addresses in its memory.
// An instance knows one curve, so each curve has its own instance, which a thread loads when it first needs it. Native code has
// the same functions for bn254 and BLS12-381. Checks and texts of the precompiles are in their files.
import { loadNative } from '../../kernel/native/load-native.js'
import { NotLoadedError } from './precompile.js'

/** A function on values in the module's memory. Returns 0 or 1, or nothing of meaning. */
type OnValues<Values extends readonly number[]> = (...addresses: Values) => number

/** Functions of one group; `z` is where the result goes. */
interface GroupFunctions {
  clear: OnValues<[point: number]>
  isZero: OnValues<[point: number]>
  isValid: OnValues<[point: number]>
  isValidOrder: OnValues<[point: number]>
  normalize: OnValues<[z: number, point: number]>
  add: OnValues<[z: number, a: number, b: number]>
  sub: OnValues<[z: number, a: number, b: number]>
  neg: OnValues<[z: number, point: number]>
  mul: OnValues<[z: number, point: number, scalar: number]>
  mulVec: OnValues<[z: number, points: number, scalars: number, count: number]>
  /** Of native code alone, and not of every group; gives 0 or an {@link EncodingFault}. */
  addEncoded?: OnValues<[z: number, points: number]> | undefined
}

/** What native code finds wrong with an encoded point, see curve.h. */
export type EncodingFault = 1 | 2 | 3

type Named<Prefix extends string, Functions> = {
  readonly [Name in keyof Functions as `${Prefix}${Name & string}`]: Functions[Name]
}

/** The part of the module that is used. */
interface Functions extends Named<'_mclBnG1_', GroupFunctions>, Named<'_mclBnG2_', GroupFunctions> {
  readonly wasmMemory: Pick<WebAssembly.Memory, 'buffer'>
  _malloc(size: number): number
  _mclBn_init(curve: number, compiledFor: number): number
  _mclBn_setMapToMode(mode: number): number
  _mclBn_verifyOrderG1(verifies: number): void
  _mclBn_verifyOrderG2(verifies: number): void
  _mclBnFp_setInt32(element: number, value: number): void
  _mclBnFp_setBigEndianMod(element: number, bytes: number, size: number): number
  _mclBnFp_serialize(bytes: number, size: number, element: number): number
  readonly _mclBnFp_sqr: OnValues<[z: number, a: number]>
  readonly _mclBnFp_mul: OnValues<[z: number, a: number, b: number]>
  readonly _mclBnFp_add: OnValues<[z: number, a: number, b: number]>
  readonly _mclBnFp_neg: OnValues<[z: number, a: number]>
  /** Not 0 if there is no root. */
  readonly _mclBnFp_squareRoot: OnValues<[z: number, a: number]>
  readonly _mclBnFp_mapToG1: OnValues<[z: number, element: number]>
  readonly _mclBnFp2_mapToG2: OnValues<[z: number, element: number]>
  _mclBnFr_setBigEndianMod(scalar: number, bytes: number, size: number): number
  readonly _mclBnFr_isZero: OnValues<[scalar: number]>
  readonly _mclBnFr_isEqual: OnValues<[a: number, b: number]>
  readonly _mclBnFr_inv: OnValues<[z: number, scalar: number]>
  readonly _mclBnFr_mul: OnValues<[z: number, a: number, b: number]>
  readonly _mclBnG1_getBasePoint: OnValues<[z: number]>
  _mclBnGT_setInt32(element: number, value: number): void
  readonly _mclBnGT_mul: OnValues<[z: number, a: number, b: number]>
  readonly _mclBnGT_isOne: OnValues<[element: number]>
  readonly _mclBn_millerLoop: OnValues<[z: number, g1: number, g2: number]>
  readonly _mclBn_finalExp: OnValues<[z: number, element: number]>
}

/** How mcl names the build: units of a scalar times 10, and units of a field element. */
const compiledFor = 46
/** Bytes of a field element, for every curve. */
export const fieldSize = 48
/** Bytes of a scalar. */
export const scalarSize = 32
const targetSize = 12 * fieldSize
/** Bytes for the values of one run. */
const arenaSize = 1 << 17
/** Mode in which mcl maps field elements to curves as RFC 9380 does. */
const mapToCurve = 5

/** One of the two groups of a curve. */
export interface Group extends GroupFunctions {
  /** Bytes of a point: three coordinates. */
  readonly size: number
  /** Field elements in a coordinate. */
  readonly degree: number
}

/** One curve with its own memory. Addresses from {@link take} are valid until {@link begin}. */
export class Mcl {
  readonly functions: Functions
  readonly g1: Group
  readonly g2: Group
  readonly #bytesOfField: number
  readonly #arena: number
  readonly #buffer: number
  #next: number
  #bytes: Uint8Array

  constructor(functions: Functions, bytesOfField: number) {
    this.functions = functions
    this.#bytesOfField = bytesOfField
    this.#buffer = functions._malloc(64)
    this.#arena = functions._malloc(arenaSize)
    this.#next = this.#arena
    this.#bytes = new Uint8Array(functions.wasmMemory.buffer)
    this.g1 = groupOf(functions, 'G1', 1)
    this.g2 = groupOf(functions, 'G2', 2)
  }

  /** Frees the values of the last run. */
  begin(): void {
    this.#next = this.#arena
  }

  /** Address of memory for one value, or for several one after the other. The memory is not cleared. */
  take(size: number): number {
    const address = this.#next
    this.#next += size
    if (this.#next > this.#arena + arenaSize) throw new RangeError(`size: too much for one run, got ${size}`)
    return address
  }

  /** Copies a value. */
  copy(target: number, source: number, size: number): void {
    this.#memory.copyWithin(target, source, source + size)
  }

  /** Writes a big-endian integer below the field's order to an address. */
  setField(address: number, value: Uint8Array): void {
    this.functions._mclBnFp_setBigEndianMod(address, this.#put(value), value.length)
  }

  /** A field element as {@link setField} takes it. */
  field(value: Uint8Array): number {
    const address = this.take(fieldSize)
    this.setField(address, value)
    return address
  }

  /** Big-endian bytes of a field element, as many as its order has. */
  fieldBytes(address: number): Uint8Array {
    const size = this.#bytesOfField
    this.functions._mclBnFp_serialize(this.#buffer, 64, address)
    return this.#memory.slice(this.#buffer, this.#buffer + size).reverse()
  }

  /** Writes a big-endian integer, modulo the group's order, to an address. */
  setScalar(address: number, value: Uint8Array): void {
    this.functions._mclBnFr_setBigEndianMod(address, this.#put(value), value.length)
  }

  /** A scalar as {@link setScalar} takes it. */
  scalar(value: Uint8Array): number {
    const address = this.take(scalarSize)
    this.setScalar(address, value)
    return address
  }

  /**
   * A point by its coordinates, big-endian field elements; the low part of a pair comes first. Zeros are the point at
   * infinity. Undefined if the point is not on the curve.
   */
  point(group: Group, coordinates: readonly Uint8Array[]): number | undefined {
    const point = this.take(group.size)
    group.clear(point)
    if (coordinates.every(isZero)) return point
    let address = point
    for (const coordinate of coordinates) {
      this.setField(address, coordinate)
      address += fieldSize
    }
    this.functions._mclBnFp_setInt32(address, 1)
    return group.isValid(point) === 1 ? point : undefined
  }

  /** The sum of two points as the precompiles encode them; undefined if no native code has it. */
  sumOfEncoded(group: Group, points: Uint8Array): Uint8Array | EncodingFault | undefined {
    if (group.addEncoded === undefined) return undefined
    const size = points.length / 2
    const sum = this.take(size)
    const input = this.take(points.length)
    this.#memory.set(points, input)
    const fault = group.addEncoded(sum, input) as EncodingFault | 0
    return fault === 0 ? this.#memory.slice(sum, sum + size) : fault
  }

  /** The coordinates of a point as {@link point} takes them. */
  coordinates(group: Group, point: number): Uint8Array[] {
    const count = 2 * group.degree
    if (group.isZero(point) === 1) {
      return Array.from({ length: count }, () => new Uint8Array(this.#bytesOfField))
    }
    group.normalize(point, point)
    return Array.from({ length: count }, (_, i) => this.fieldBytes(point + i * fieldSize))
  }

  /** The product of no pairings, to which {@link multiplyPairing} adds more. */
  emptyProduct(): number {
    const product = this.take(targetSize)
    this.functions._mclBnGT_setInt32(product, 1)
    return product
  }

  /** Multiplies a product by a pairing. Both points must be in their groups. The point at infinity changes nothing. */
  multiplyPairing(product: number, g1: number, g2: number): void {
    if (this.g1.isZero(g1) === 1 || this.g2.isZero(g2) === 1) return
    this.scoped(() => {
      const factor = this.take(targetSize)
      this.functions._mclBn_millerLoop(factor, g1, g2)
      this.functions._mclBnGT_mul(product, product, factor)
    })
  }

  /** Whether a product of pairings is one. */
  isProductOne(product: number): boolean {
    const { functions } = this
    // The product of no pairings needs no final exponentiation.
    if (functions._mclBnGT_isOne(product) === 1) return true
    functions._mclBn_finalExp(product, product)
    return functions._mclBnGT_isOne(product) === 1
  }

  /** Runs work and frees its values afterwards. */
  scoped<T>(work: () => T): T {
    const next = this.#next
    try {
      return work()
    } finally {
      this.#next = next
    }
  }

  get #memory(): Uint8Array {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.functions.wasmMemory.buffer)
    return this.#bytes
  }

  #put(bytes: Uint8Array): number {
    this.#memory.set(bytes, this.#buffer)
    return this.#buffer
  }
}

function groupOf(functions: Functions, name: 'G1' | 'G2', degree: number): Group {
  return {
    size: 3 * degree * fieldSize,
    degree,
    clear: functions[`_mclBn${name}_clear`],
    isZero: functions[`_mclBn${name}_isZero`],
    isValid: functions[`_mclBn${name}_isValid`],
    isValidOrder: functions[`_mclBn${name}_isValidOrder`],
    normalize: functions[`_mclBn${name}_normalize`],
    add: functions[`_mclBn${name}_add`],
    sub: functions[`_mclBn${name}_sub`],
    neg: functions[`_mclBn${name}_neg`],
    mul: functions[`_mclBn${name}_mul`],
    mulVec: functions[`_mclBn${name}_mulVec`],
    addEncoded: functions[`_mclBn${name}_addEncoded`],
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Bytes after the arena: native code may ask for as much room beside single values as for several. */
const slackSize = 1 << 16

/** The functions of a curve in native code; undefined if there is none. */
function nativeCurve(name: 'bn254' | 'bls12381'): Functions | undefined {
  const native = loadNative()?.[name]
  if (native === undefined) return undefined
  const memory = new Uint8Array(arenaSize + 2 * slackSize)
  let free = 0
  const bound = Object.entries(native).map(([name, run]) => {
    // Each function reads as many as it has.
    return [name, (a: number, b: number, c: number, d: number) => run(memory, a, b, c, d)] as const
  })
  return {
    ...(Object.fromEntries(bound) as unknown as Functions),
    wasmMemory: { buffer: memory.buffer },
    _malloc(size) {
      free += size
      return free - size
    },
  }
}

/** A curve that a thread loads when it first needs it. */
class LazyCurve {
  readonly #curve: number
  readonly #bytesOfField: number
  readonly #native: () => Functions | undefined
  #loading: Promise<void> | undefined
  #loaded: Mcl | undefined

  /** @param curve mcl's number of it */
  constructor(curve: number, bytesOfField: number, native: () => Functions | undefined = () => undefined) {
    this.#curve = curve
    this.#bytesOfField = bytesOfField
    this.#native = native
  }

  /** Loads the curve into this thread, once: 0.1 s. */
  load(): Promise<void> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  /** The curve, ready for a new run. Throws NotLoadedError. */
  begin(): Mcl {
    this.#loaded ??= this.#loadNative()
    if (this.#loaded === undefined) throw new NotLoadedError(() => this.load())
    this.#loaded.begin()
    return this.#loaded
  }

  #loadNative(): Mcl | undefined {
    const functions = this.#native()
    return functions && new Mcl(functions, this.#bytesOfField)
  }

  async #load(): Promise<void> {
    this.#loaded ??= this.#loadNative()
    if (this.#loaded !== undefined) return
    const { default: createModule } = await import('mcl-wasm/dist/mcl_c.js')
    const functions = (await createModule({})) as Functions
    const failure = functions._mclBn_init(this.#curve, compiledFor)
    if (failure !== 0) throw new Error(`mcl does not know curve ${this.#curve}: ${failure}`)
    // The precompiles check whether a point is in the group, at the places where geth does.
    functions._mclBn_verifyOrderG1(0)
    functions._mclBn_verifyOrderG2(0)
    functions._mclBn_setMapToMode(mapToCurve)
    this.#loaded = new Mcl(functions, this.#bytesOfField)
  }
}

/** Ethereum's first pairing curve, alt_bn128. */
export const bn254 = new LazyCurve(4, 32, () => nativeCurve('bn254'))
/** The pairing curve of EIP-2537 and of blobs. */
export const bls12381 = new LazyCurve(5, 48, () => nativeCurve('bls12381'))
/** secp256r1, whose points are those of {@link Mcl.g1}. */
export const p256 = new LazyCurve(107, 32)
