// From the key in a path to its caller. Keys are held and looked up as SHA-256 digests only. The time of a look-up
// depends on a digest, which nobody can choose, and the comparison takes the same time for all.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Limits } from '../../rpc/limits.js'
import { ownQuotas, type Quotas } from '../quotas/quotas.js'
import type { QueueLimits, Scheduler } from '../scheduler.js'
import { Caller } from './caller.js'
import { ConfigError } from './config-error.js'
import { planOf } from './plan.js'
import type { KeyConfig, PlanConfig, ServiceConfig } from './service-config.js'

interface Entry {
  readonly digest: Buffer
  readonly caller: Caller | undefined
}

/** Compared with where no key has the digest, so that both outcomes do the same. */
const nobody: Entry = { digest: Buffer.alloc(32), caller: undefined }

interface KeyRingOptions {
  /** What plans leave out. */
  readonly defaults: Limits
  readonly scheduler: Scheduler
  /** Heavy work of one caller. */
  readonly queueLimits: QueueLimits
  /** Default those of this process. */
  readonly quotas?: Quotas
}

/** The callers of a service. */
export class KeyRing {
  readonly #options: KeyRingOptions
  /** By the digest in base64. */
  #entries = new Map<string, Entry>()
  /** Everybody, where no keys are configured. */
  #anybody: Caller | undefined

  /** Throws {@link ConfigError} as {@link KeyRing.update}. */
  constructor(config: ServiceConfig, options: KeyRingOptions) {
    this.#options = options
    this.update(config)
  }

  /** Whether every key is accepted, and none needed. */
  get isOpen(): boolean {
    return this.#anybody !== undefined
  }

  /** The caller with this key. Undefined for no key, an empty one and an unknown one. */
  find(key: string | undefined): Caller | undefined {
    if (this.#anybody !== undefined) return this.#anybody
    if (!key) return undefined
    const digest = createHash('sha256').update(key).digest()
    const entry = this.#entries.get(placeOf(digest)) ?? nobody
    return timingSafeEqual(entry.digest, digest) ? entry.caller : undefined
  }

  /**
   * Puts another config in force: keys that stay keep their callers, callers of removed keys are revoked. Throws
   * {@link ConfigError}, and changes nothing then, if two entries are the same key or a plan does not exist.
   */
  update({ keys, plans = {} }: ServiceConfig): void {
    const digests = checkKeys({ keys })
    const places = digests.map(placeOf)
    const { defaults } = this.#options
    const keyPlans = keys?.map(({ plan }, index) => planOf(plan, planConfig(plans, plan, index), defaults))
    const entries = new Map<string, Entry>()
    keys?.forEach((key, index) => {
      const place = places[index]!
      const label = key.name ?? `keys[${index}]`
      const plan = keyPlans![index]!
      const caller = this.#entries.get(place)?.caller ?? this.#createCaller({ id: place, label, plan })
      caller.label = label
      caller.adopt(plan)
      entries.set(place, { digest: digests[index]!, caller })
    })
    const gone = [...this.#entries].filter(([place]) => !entries.has(place)).map(([, { caller }]) => caller!)
    if (this.#anybody !== undefined && keys !== undefined) gone.push(this.#anybody)
    for (const caller of gone) this.#revoke(caller)
    this.#entries = entries
    if (keys !== undefined) this.#anybody = undefined
    else
      this.#anybody ??= this.#createCaller({
        id: '',
        label: 'anybody',
        plan: planOf('', { maxConnections: Number.POSITIVE_INFINITY }, defaults),
      })
  }

  /** The caller with an id; undefined if its key was removed. */
  withId(id: string): Caller | undefined {
    return this.#anybody?.id === id ? this.#anybody : this.#entries.get(id)?.caller
  }

  #createCaller(caller: Pick<Caller, 'id' | 'label' | 'plan'>): Caller {
    const { scheduler, queueLimits, quotas = ownQuotas } = this.#options
    return new Caller({ ...caller, quotas, queue: scheduler.queue(queueLimits) })
  }

  #revoke(caller: Caller): void {
    caller.isRevoked = true
    this.#options.scheduler.drop(caller.queue)
  }
}

/** The digests of keys. Throws {@link ConfigError} if two entries are the same key, perhaps one of them as its hash. */
export function checkKeys({ keys = [] }: ServiceConfig): readonly Buffer[] {
  const digests = keys.map(digestOf)
  const places = digests.map(placeOf)
  const first = new Map(places.map((place, index) => [place, index] as const).reverse())
  const again = places.findIndex((place, index) => first.get(place) !== index)
  if (again < 0) return digests
  const text = `is the same as keys[${first.get(places[again]!)}]`
  throw new ConfigError([{ path: `keys[${again}]`, text }])
}

function placeOf(digest: Buffer): string {
  return digest.toString('base64')
}

/** The plan of a key. Members that every object has, such as `constructor`, are no plans. */
function planConfig(plans: NonNullable<ServiceConfig['plans']>, name: string, index: number): PlanConfig {
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined
  if (plan !== undefined) return plan
  throw new ConfigError([{ path: `keys[${index}].plan`, text: `there is no plan ${JSON.stringify(name)}` }])
}

function digestOf({ key, sha256 }: KeyConfig): Buffer {
  if (sha256 !== undefined) return Buffer.from(sha256, 'hex')
  return createHash('sha256').update(key!).digest()
}
