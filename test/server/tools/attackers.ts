// Runs attacks in a thread of its own, so that the work of attackers is not taken for slowness of the service.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Random } from '../../random.js'
import { type Attack, Violation } from './attack.js'
import { floodAttacks } from './flood-attacks.js'
import { reloadAttack } from './reload-attack.js'
import { requestAttacks } from './request-attacks.js'
import type { Target } from './target.js'
import { upgradeAttack } from './upgrade-attacks.js'

export interface AttackPlan {
  readonly target: Target
  /** The fixture whose recorded requests are mutated. */
  readonly fixture: string
  readonly seconds: number
  readonly seed: number
  /** Attacks that run at a time. */
  readonly attackers: number
  /** Whether floods are among them. */
  readonly floods: boolean
  /** Names of the only attacks to run; empty for all. */
  readonly only: readonly string[]
  /** Runs one attack with this seed instead of drawing any. */
  readonly one?: number
}

/** How many attacks of a name ended in which way. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<string, number>>

export interface AttackReport {
  readonly attacks: number
  readonly outcomes: Outcomes
  /** What the service must not have done, with the options that repeat it; the first twenty. */
  readonly violations: readonly string[]
}

type Message =
  | { readonly kind: 'begin' | 'end'; readonly name: string }
  | { readonly kind: 'report'; readonly report: AttackReport }

/** Attacks under way. */
export interface Attackers {
  /** Names of the attacks that run at the moment. */
  running(): readonly string[]
  readonly report: Promise<AttackReport>
}

/** Starts to attack. */
export function startAttackers(plan: AttackPlan): Attackers {
  const running: string[] = []
  const worker = new Worker(new URL(import.meta.url), { workerData: plan })
  const report = new Promise<AttackReport>((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.kind === 'report') resolve(message.report)
      else if (message.kind === 'begin') running.push(message.name)
      else running.splice(running.indexOf(message.name), 1)
    })
    worker.on('error', reject)
  })
  return { running: () => [...running], report }
}

/** Names of all attacks. */
export function attackNames(fixture: string): readonly string[] {
  return allAttacks(fixture).map(({ name }) => name)
}

function allAttacks(fixture: string): readonly Attack[] {
  return [...requestAttacks(fixture), upgradeAttack, reloadAttack, ...floodAttacks]
}

/** One of the attacks, by their weights. */
function drawAttack(attacks: readonly Attack[], random: Random): Attack {
  let left = random.fraction() * attacks.reduce((sum, { weight }) => sum + weight, 0)
  for (const each of attacks) {
    left -= each.weight
    if (left < 0) return each
  }
  return attacks.at(-1)!
}

async function attack({
  target,
  fixture,
  seconds,
  seed,
  attackers,
  floods,
  only,
  one,
}: AttackPlan): Promise<void> {
  const attacks = allAttacks(fixture).filter(({ name, isFlood }) =>
    only.length > 0 ? only.includes(name) : floods || !isFlood || name === reloadAttack.name,
  )
  const outcomes = new Map<string, Map<string, number>>()
  const violations: string[] = []
  const end = performance.now() + seconds * 1_000
  let count = 0
  let isFlooding = false

  async function runOne(next: Attack, ofSeed: number): Promise<void> {
    const { name } = next
    count++
    parentPort!.postMessage({ kind: 'begin', name } satisfies Message)
    let outcome: string
    try {
      outcome = await next.run(target, new Random(ofSeed))
    } catch (error) {
      // A refused connection is the service's right; that it still runs is looked at by others.
      outcome = error instanceof Violation ? 'VIOLATION' : `failed: ${(error as Error).message}`
      if (error instanceof Violation && violations.length < 20) {
        violations.push(`${name} (--only '${name}' --one ${ofSeed}): ${error.message}`)
      }
    }
    parentPort!.postMessage({ kind: 'end', name } satisfies Message)
    const ofName = outcomes.get(name) ?? new Map<string, number>()
    outcomes.set(name, ofName.set(outcome, (ofName.get(outcome) ?? 0) + 1))
  }

  async function attacker(i: number): Promise<void> {
    const random = new Random(seed * 1_000_003 + i)
    while (performance.now() < end) {
      const next = drawAttack(attacks, random)
      const ofSeed = random.uint32()
      if (next.isFlood && isFlooding && attacks.length > 1) continue
      if (next.isFlood) isFlooding = true
      await runOne(next, ofSeed)
      if (next.isFlood) isFlooding = false
    }
  }

  if (one !== undefined) await runOne(attacks[0]!, one)
  else await Promise.all(Array.from({ length: attackers }, (_, i) => attacker(i)))
  parentPort!.postMessage({
    kind: 'report',
    report: { attacks: count, outcomes, violations },
  } satisfies Message)
}

if (!isMainThread) await attack(workerData as AttackPlan)
