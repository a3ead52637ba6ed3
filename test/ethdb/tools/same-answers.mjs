// node same-answers.mjs DATADIR FILE: opens the directory anew and compares answers with those that FILE has of geth: JSON
// of { request, answer } with the newest block that each is about. Prints one line of JSON. Run by live.mjs, under strace,
// when geth is dead.
import { readFileSync } from 'node:fs'
import { openDatadir } from '../../../dist/index.js'
import { answerOf, compareAnswers } from './same-answer.mjs'

const [datadir, file] = process.argv.slice(2)
const chain = await openDatadir(datadir)
try {
  const head = Number(await chain.getBlockNumber())
  const counts = { same: 0, state: 0, unavailable: 0, refused: 0, later: 0 }
  for (const { request, answer } of JSON.parse(readFileSync(file, 'utf8'))) {
    if (request.number > head) {
      counts.later++
      continue
    }
    counts[compareAnswers(request, await answerOf(() => chain.provider.request(request)), answer)]++
  }
  const { hash } = (await chain.getInfo()).head
  console.log(JSON.stringify({ head, hash, ...counts }))
} finally {
  await chain.close()
}
