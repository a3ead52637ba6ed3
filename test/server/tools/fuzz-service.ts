// npm run fuzz:service -- --seconds N --seed S [--floods] [--tls]: attacks a service of its own as strangers may, while an
// ordinary client with another key asks what geth answered. Fails if an answer is wrong or missing, if the ordinary
// client waits, if the memory of the process passes its budget, or if the service does not come to rest and end.
// Needs npm run build, and Linux for /proc. A violation names the options that repeat it.

import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type AttackReport, attackNames, startAttackers } from './attackers.js'
import type { ClientReport } from './second-client.js'
import { type SecondClient, startSecondClient } from './second-client-thread.js'
import { type ServiceProcess, startService } from './service-process.js'

/** From where the compiled file is: test/.build/test/server/tools. */
const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const fixture = 'rich-1.17.5-leveldb-hash-archive'

/** Time after the attacks within which the service comes to rest. */
const restSeconds = 90

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    attackers: { type: 'string', default: '8' },
    /** Floods too. */
    floods: { type: 'boolean', default: false },
    /** Clients connect by TLS, and certificates are torn in reloads. */
    tls: { type: 'boolean', default: false },
    /** Name of the only attack to run; may be given several times. */
    only: { type: 'string', multiple: true, default: [] },
    /** Runs the one attack of --only with this seed. */
    one: { type: 'string' },
    /** MiB of V8's heap. */
    heap: { type: 'string', default: '1024' },
    /** MiB that the service may take: 280 at the start, caches of workers and of answers, 160 of requests, and a fifth. */
    budget: { type: 'string', default: '1024' },
    /** Milliseconds below which 99 of 100 answers to the ordinary client come; 0 for any. */
    p99: { type: 'string', default: '50' },
    /** Milliseconds within which every answer to the ordinary client comes; 0 for any. */
    longest: { type: 'string', default: '0' },
    /** An option of `geth-reader serve`, as `--flag=--workers=1`; may be given several times. */
    flag: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})

/** What the process was made to hold. */
interface Resources {
  readonly residentBefore: number
  readonly residentPeak: number
  readonly residentAfter: number
  readonly descriptorsBefore: number
  readonly descriptorsAfter: number
}

if (values.list) for (const name of attackNames(fixture)) console.log(name)
else process.exitCode = (await main()) ? 0 : 1

async function main(): Promise<boolean> {
  const unknown = values.only.find((name) => !attackNames(fixture).includes(name))
  if (unknown !== undefined) throw new TypeError(`--only: expected a name that --list shows, got ${unknown}`)
  await using service = await startService({
    root,
    fixture,
    secure: values.tls,
    heap: Number(values.heap),
    flags: values.flag,
  })
  let attacksRunning: () => readonly string[] = () => []
  const client = await startSecondClient(service.quietUrl, fixture, () => attacksRunning())
  // On Linux, where this is the priority of this thread alone: attackers are on other machines, so theirs must not take the
  // processors that the service and the ordinary client need.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const descriptorsBefore = service.descriptors()
  const residentBefore = service.residentMebibytes()
  let residentPeak = residentBefore
  const sampler = setInterval(() => {
    residentPeak = Math.max(residentPeak, service.residentMebibytes())
  }, 250)
  try {
    const attackers = startAttackers({
      target: service.target,
      fixture,
      seconds: Number(values.seconds),
      seed: Number(values.seed),
      attackers: Number(values.attackers),
      floods: values.floods,
      only: values.only,
      ...(values.one !== undefined && { one: Number(values.one) }),
    })
    attacksRunning = attackers.running
    const attacks = await attackers.report
    const restless = await restlessness(service, descriptorsBefore)
    const seen = await client.stop()
    const resources = {
      residentBefore,
      residentPeak,
      residentAfter: service.residentMebibytes(),
      descriptorsBefore,
      descriptorsAfter: service.exitStatus() === undefined ? service.descriptors() : 0,
    }
    const violations = [
      ...attacks.violations,
      ...restless,
      ...violationsOf(seen),
      ...violationsOfMemory(resources),
      ...(await endingViolations(service)),
      ...service.complaints.map((line) => `standard error: ${line}`),
    ]
    print(attacks, seen, resources, violations)
    return violations.length === 0
  } finally {
    clearInterval(sampler)
    await client.stop()
  }
}

/** Waits until nothing of the attacks is left; says what is left when time is up. */
async function restlessness(service: ServiceProcess, descriptorsBefore: number): Promise<string[]> {
  let left: string[] = []
  const end = performance.now() + restSeconds * 1_000
  while (performance.now() < end) {
    if (service.exitStatus() !== undefined) return ['the service ended by itself']
    try {
      left = leftOver(await service.metrics(), service.descriptors() - descriptorsBefore)
    } catch (error) {
      left = [`/metrics: ${(error as Error).message}`]
    }
    if (left.length === 0) return []
    await sleep(1_000)
  }
  return left.map((what) => `${restSeconds} s after the attacks: ${what}`)
}

function leftOver(metrics: ReadonlyMap<string, number>, moreDescriptors: number): string[] {
  // The ordinary client has a connection, and perhaps a request under way.
  const most: readonly (readonly [name: string, most: number])[] = [
    ['requests_in_flight', 1],
    ['queue_length', 1],
    ['connections{transport="http"}', 2],
    ['connections{transport="websocket"}', 0],
  ]
  const missing = most.filter(([name]) => !metrics.has(name)).map(([name]) => `no metric ${name}`)
  const many = most
    .filter(([name, limit]) => (metrics.get(name) ?? 0) > limit)
    .map(([name]) => `${name} is ${metrics.get(name)}`)
  // Files of the directory are opened when they are first read.
  const descriptors = moreDescriptors > 30 ? [`${moreDescriptors} descriptors more than before`] : []
  return [...missing, ...many, ...descriptors]
}

function violationsOf({ answers, faults, faultTexts, p99, max }: ClientReport): string[] {
  const [p99Limit, longest] = [Number(values.p99), Number(values.longest)]
  return [
    ...(answers === 0 ? ['the ordinary client had no answer'] : []),
    ...faultTexts.map((text) => `ordinary client: ${text}`),
    ...(faults > faultTexts.length ? [`ordinary client: ${faults - faultTexts.length} more faults`] : []),
    ...(p99Limit > 0 && p99 >= p99Limit ? [`ordinary client: p99 is ${p99.toFixed(1)} ms`] : []),
    ...(longest > 0 && max >= longest ? [`ordinary client: one answer took ${max.toFixed(0)} ms`] : []),
  ]
}

function violationsOfMemory({ residentPeak }: Resources): string[] {
  const budget = Number(values.budget)
  return residentPeak > budget ? [`memory: ${residentPeak} MiB of ${budget} MiB`] : []
}

async function endingViolations(service: ServiceProcess): Promise<string[]> {
  const status = service.exitStatus()
  if (status !== undefined) return [`the service ended with ${status}`]
  const ended = await service.terminate(60_000)
  return ended === 0
    ? []
    : [ended === undefined ? 'SIGTERM did not end it in 60 s' : `SIGTERM ended it with ${ended}`]
}

function print(
  attacks: AttackReport,
  client: Awaited<ReturnType<SecondClient['stop']>>,
  resources: Resources,
  violations: readonly string[],
): void {
  const { seed, seconds } = values
  if (values.json) {
    const outcomes = Object.fromEntries(
      [...attacks.outcomes].map(([name, counts]) => [name, Object.fromEntries(counts)]),
    )
    console.log(
      JSON.stringify(
        { seed, seconds, attacks: attacks.attacks, outcomes, client, resources, violations },
        undefined,
        2,
      ),
    )
    return
  }
  for (const [name, counts] of [...attacks.outcomes].toSorted()) {
    const ends = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
    console.log(`${name}: ${ends}`)
  }
  const milliseconds = (value: number) => value.toFixed(1).padStart(8)
  console.log(`\nordinary client: ${client.answers} answers, ${client.faults} faults; milliseconds:`)
  console.log(
    `p50 ${milliseconds(client.p50)}  p99 ${milliseconds(client.p99)}  max ${milliseconds(client.max)}`,
  )
  for (const [method, { answers, p99 }] of Object.entries(client.methods)) {
    console.log(`p99 ${milliseconds(p99)} of ${answers} answers of ${method}`)
  }
  for (const { milliseconds: time, at, method, during } of client.slowest) {
    console.log(`${milliseconds(time)} at ${at.toFixed(1)} s, ${method} during ${during.join(', ')}`)
  }
  const { residentBefore, residentPeak, residentAfter, descriptorsBefore, descriptorsAfter } = resources
  console.log(`memory: ${residentBefore} MiB before, at most ${residentPeak} MiB, ${residentAfter} MiB after`)
  console.log(`descriptors: ${descriptorsBefore} before, ${descriptorsAfter} after`)
  for (const violation of violations) console.log(`VIOLATION ${violation}`)
  const verdict = violations.length === 0 ? 'well' : `NOT WELL, ${violations.length} violations`
  console.log(`fuzz:service: ${attacks.attacks} attacks in ${seconds} s with seed ${seed}: ${verdict}`)
}
