// A stream of transactions for a geth in developer mode, signed by it: transfers, contracts, storage, logs, failures.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ask, sleep, whenIndexed } from './geth-node.mjs'

const { Token } = JSON.parse(readFileSync(new URL('../../../bench/contracts.json', import.meta.url), 'utf8'))
const pauseMilliseconds = 200

const word = (hex) => hex.replace(/^0x/, '').padStart(64, '0')
const random = (bytes) => randomBytes(bytes).toString('hex')
const oneOf = (list) => list[Math.floor(Math.random() * list.length)]

/** Init code that returns the token's runtime code. */
function tokenInitCode() {
  const code = Token.code.replace(/^0x/, '')
  const length = (code.length / 2).toString(16).padStart(4, '0')
  return `0x61${length}80600c6000396000f3${code}`
}

/** Sends transactions until `stop` is called, which returns how many there were. */
export async function startTransactions(url) {
  const [from] = await ask(url, 'eth_accounts')
  const people = Array.from({ length: 40 }, () => `0x${random(20)}`)
  const tokens = []
  // geth's own choice of a number lags behind while a block is made.
  let nonce = Number(await ask(url, 'eth_getTransactionCount', from, 'pending'))
  const send = (transaction) =>
    ask(url, 'eth_sendTransaction', { from, nonce: `0x${(nonce++).toString(16)}`, ...transaction })
  const call = (signature, ...words) => `${Token.selectors[signature]}${words.map(word).join('')}`
  const kinds = [
    () => send({ to: oneOf(people), value: `0x${random(6).replace(/^0+/, '') || '1'}` }),
    () => send({ to: `0x${random(20)}`, value: '0x1', gas: '0x5208', gasPrice: '0x77359400' }),
    () => send({ to: oneOf(tokens), data: call('approve', oneOf(people), random(8)) }),
    () => send({ to: oneOf(tokens), data: call('approve', `0x${random(20)}`, random(8)), accessList: [] }),
    () => send({ to: oneOf(tokens), data: call('transfer', oneOf(people), '0x0') }),
    // What nobody has cannot be transferred: a failed transaction.
    () => send({ to: oneOf(tokens), data: call('transfer', oneOf(people), '0x5'), gas: '0x186a0' }),
    () =>
      send({
        to: oneOf(people),
        data: `0x${random(1 + Math.floor(Math.random() * 30_000))}`,
        gas: '0x1e8480',
      }),
  ]
  let sent = 0
  let isStopped = false
  const deploy = async () => {
    const hash = await send({ data: tokenInitCode(), gas: '0x1e8480' })
    for (let receipt; !receipt; await sleep(100)) {
      receipt = await whenIndexed(() => ask(url, 'eth_getTransactionReceipt', hash))
      if (receipt) tokens.push(receipt.contractAddress)
    }
  }
  const run = async () => {
    for (; !isStopped; await sleep(pauseMilliseconds)) {
      if (sent % 100 === 99) await deploy()
      for (let i = 0; i < 4; i++) await oneOf(kinds)()
      sent += 4
    }
    return sent
  }
  await deploy()
  const done = run()
  done.catch(() => {})
  return {
    async stop() {
      isStopped = true
      return done
    },
  }
}
