// node same-answers.mjs DATADIR FILE: opens the directory anew and compares answers with those that FILE has of geth: JSON
// of { request, result } with the newest block that each is about. Prints one line of JSON. Run by live.mjs, under strace,
// when geth is dead.
import { readFileSync } from 'node:fs'
import { openDatadir } from '../../../dist/index.js'
import { isSameAnswer } from './same-answer.mjs'

const [datadir, file] = process.argv.slice(2)
const chain = await openDatadir(datadir)
try {
  const head = Number(await chain.getBlockNumber())
  let compared = 0
  let later = 0
  for (const { request, result } of JSON.parse(readFileSync(file, 'utf8'))) {
    const { number, method, params } = request
    if (number > head) {
      later++
      continue
    }
    const found = await chain.provider.request({ method, params })
    if (!isSameAnswer(found, result)) {
      throw new Error(
        `${JSON.stringify(request)}\nours: ${JSON.stringify(found)}\ngeth: ${JSON.stringify(result)}`,
      )
    }
    compared++
  }
  const { hash } = chain.info.head
  console.log(JSON.stringify({ head, hash, compared, later }))
} finally {
  await chain.close()
}
