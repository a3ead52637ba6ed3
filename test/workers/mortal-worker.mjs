// The worker of the build, but threads end over the piece of a log scan that has block 100: as many as
// MORTAL_WORKER_FOLDER has no folders for.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runTask as run } from '../../dist/workers/worker.js'

const { MORTAL_WORKER_FOLDER: folder, MORTAL_WORKER_DEATHS: deaths } = process.env

export async function runTask(task) {
  const outcome = await run(task)
  const { from, to } = task.name === 'scanPiece' ? task.input : {}
  for (let death = 1; from <= 100 && to >= 100 && death <= Number(deaths); death++) {
    try {
      mkdirSync(join(folder, String(death)))
    } catch {
      continue // that death was died already
    }
    process.exit(1)
  }
  return outcome
}
