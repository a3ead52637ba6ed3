// Reloads in the middle of a write: half a file leaves what was in force, and the whole file that follows is taken.
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../random.js'
import type { Attack } from './attack.js'
import type { Target } from './target.js'

/** Counts as a flood because two must not write the same files at once. */
export const reloadAttack: Attack = { name: 'torn reload', weight: 1, isFlood: true, run }

async function run({ pid, reloaded }: Target, random: Random): Promise<string> {
  const { paths, contents } = random.pick(reloaded)
  const texts = random.pick(contents)
  const reload = async () => {
    process.kill(pid, 'SIGHUP')
    await sleep(random.below(60))
  }
  // A certificate whose chain breaks off starts with a whole certificate.
  const tear = (text: string) =>
    random.oneIn(2)
      ? text.slice(0, random.below(text.length))
      : text + text.slice(0, random.below(text.length))
  for (const [i, path] of paths.entries()) {
    writeFileSync(path, tear(texts[i]!))
    await reload()
    if (random.oneIn(2)) writeFileSync(path, texts[i]!)
    if (random.oneIn(2)) await reload()
  }
  for (const [i, path] of paths.entries()) writeFileSync(path, texts[i]!)
  await reload()
  return 'reloaded'
}
