// A geth whose chain is driven by the engine API as a consensus client drives it: it grows, switches between branches, is
// shortened, and gets finalized. A second geth builds the blocks, so that a branch can be longer than one block when the first
// one switches to it.
import { spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { postText, sleep, startGeth } from '../geth-node.mjs'

const chainId = 0x5124
/** Each of them sends one transaction in each block, so that its nonce is known on every branch. */
const senders = 3
/** The contract that all transactions call. */
export const emitter = '0x000000000000000000000000000000000000c0de'
/** Emits three logs, whose topic is the first word of the data. */
const emitterCode = `0x${'60003560206000a1'.repeat(3)}00`
/** Blocks are final when the head is this far above them. A branch never begins below. */
const finalDepth = 45
const deepest = 40
/** Blocks that geth takes back at a time ("Too deep reorg"). */
const mostTakenBack = 32
const noBeaconRoot = `0x${'00'.repeat(32)}`

const quantity = (value) => `0x${value.toString(16)}`

/** Random numbers from 0 to 1 that are the same in each run. */
function seeded(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function genesisOf(wallets, code) {
  const forks = 'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london'
  const blob = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 }
  return {
    config: {
      chainId,
      ...Object.fromEntries(forks.split(' ').map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      blobSchedule: { cancun: blob },
    },
    // In the past: blocks are a second apart, however fast they come.
    timestamp: '0x60000000',
    gasLimit: '0x3938700',
    difficulty: '0x0',
    alloc: {
      [emitter]: { balance: '0x0', code },
      ...Object.fromEntries(wallets.map(({ address }) => [address, { balance: `0x1${'0'.repeat(24)}` }])),
    },
  }
}

/** Starts both nodes at genesis. Transactions call `code` with so many random bytes. */
export async function startBranchDriver(
  geth,
  { engine, folder, seed = 1, code = emitterCode, dataBytes = 32 },
) {
  const wallets = Array.from(
    { length: senders },
    (_, i) => new Wallet(`0x${String(i + 1).padStart(64, '0')}`),
  )
  const genesis = join(folder, 'genesis.json')
  const secret = join(folder, 'jwt')
  const key = randomBytes(32)
  writeFileSync(genesis, JSON.stringify(genesisOf(wallets, code)))
  writeFileSync(secret, key.toString('hex'))
  const start = (name, scheme, store) => {
    const datadir = join(folder, name)
    mkdirSync(datadir)
    const init = ['init', '--datadir', datadir, '--db.engine', store, '--state.scheme', scheme, genesis]
    const { status, stderr } = spawnSync(geth, init, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`geth init ended with ${status}: ${stderr}`)
    const network = ['--networkid', String(chainId), '--syncmode', 'full', '--authrpc.jwtsecret', secret]
    return startGeth(geth, { engine: store, scheme, datadir, network, api: 'eth,net,web3,testing,debug' })
  }
  const node = await start('datadir', 'path', engine)
  const builder = await start('builder', 'path', 'pebble')
  const { hash } = await callOf(node.url)('eth_getBlockByNumber', '0x0', false)
  return new BranchDriver({ node, builder, wallets, key, genesis: hash, random: seeded(seed), dataBytes })
}

function callOf(url, headers) {
  return async (method, ...params) => {
    const { result, error } = JSON.parse(
      await postText(url, { jsonrpc: '2.0', id: 1, method, params }, headers),
    )
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

class BranchDriver {
  /** Number, hash, parent and time of each block, by hash. */
  blocks = new Map()
  /** Hashes of the heads that the node was given. */
  heads = []
  /** Blocks from genesis to the head. */
  chain
  /** What has been done, by name. */
  steps = { extend: 0, switch: 0, shorten: 0 }
  #options
  #random
  #built
  #finalized = 0

  constructor(options) {
    this.#options = options
    this.#random = options.random
    const genesis = { number: 0, hash: options.genesis, parent: undefined, time: 0x60000000 }
    this.chain = [genesis]
    this.#built = genesis
    this.blocks.set(genesis.hash, genesis)
  }

  get node() {
    return this.#options.node
  }

  get head() {
    return this.chain.at(-1)
  }

  /** One thing that a consensus client may do. */
  async step() {
    const chance = this.#random()
    const depth = Math.min(1 + Math.floor(this.#random() * deepest), this.head.number - this.#finalized - 1)
    if (chance < 0.12 && depth > 0) await this.switchBranch(depth)
    else if (chance < 0.16 && depth > 0) await this.shorten(Math.min(depth, 3))
    else await this.extend()
  }

  /** One more block. */
  async extend(dataBytes = this.#options.dataBytes) {
    this.steps.extend++
    const block = await this.#build(this.head, dataBytes)
    await this.#choose([...this.chain, block])
  }

  /** Replaces so many blocks by a branch that may be a little shorter or longer. */
  async switchBranch(depth) {
    this.steps.switch++
    const length = Math.max(1, depth - 2 + Math.floor(this.#random() * 6))
    const branch = this.chain.slice(0, -depth)
    while (branch.length < this.chain.length - depth + length)
      branch.push(await this.#build(branch.at(-1), this.#options.dataBytes))
    await this.#choose(branch)
  }

  /** Takes so many blocks back. */
  async shorten(depth) {
    this.steps.shorten++
    await this.#choose(this.chain.slice(0, -depth))
  }

  async close() {
    await Promise.all([this.#options.node.kill(), this.#options.builder.kill()])
  }

  /** A block that both nodes have, and that only the builder has as its head. */
  async #build(parent, dataBytes) {
    const { builder, node, wallets } = this.#options
    while (this.#built.number - parent.number > mostTakenBack) {
      let ancestor = this.#built
      for (let i = 0; i < mostTakenBack; i++) ancestor = this.blocks.get(ancestor.parent)
      await this.#update(builder, ancestor.hash, noBeaconRoot)
    }
    if (this.#built !== parent) await this.#update(builder, parent.hash, noBeaconRoot)
    const time = parent.time + 1
    const transactions = await Promise.all(
      wallets.map((wallet) =>
        wallet.signTransaction({
          ...{ chainId, type: 2, to: emitter, nonce: parent.number, gasLimit: 60_000 + 40 * dataBytes },
          ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n },
          data: `0x${randomBytes(dataBytes).toString('hex')}`,
        }),
      ),
    )
    const { executionPayload: payload } = await callOf(builder.url)(
      'testing_buildBlockV1',
      parent.hash,
      {
        timestamp: quantity(time),
        prevRandao: `0x${randomBytes(32).toString('hex')}`,
        suggestedFeeRecipient: `0x${randomBytes(20).toString('hex')}`,
        withdrawals: [],
        parentBeaconBlockRoot: noBeaconRoot,
      },
      transactions,
    )
    for (const each of [builder, node]) {
      const { status, validationError } = await this.#engine(each)(
        'engine_newPayloadV3',
        payload,
        [],
        noBeaconRoot,
      )
      if (status !== 'VALID') throw new Error(`block ${parent.number + 1} is ${status}: ${validationError}`)
    }
    const block = { number: parent.number + 1, hash: payload.blockHash, parent: parent.hash, time }
    await this.#update(builder, block.hash, noBeaconRoot)
    this.#built = block
    this.blocks.set(block.hash, block)
    return block
  }

  async #choose(chain) {
    this.chain = chain
    const { number, hash } = this.head
    this.#finalized = Math.max(this.#finalized, number - finalDepth)
    const finalized = this.#finalized === 0 ? noBeaconRoot : chain[this.#finalized].hash
    await this.#update(this.node, hash, finalized)
    this.heads.push(hash)
  }

  async #update(node, head, finalized) {
    if (node === this.#options.builder) this.#built = this.blocks.get(head)
    const state = { headBlockHash: head, safeBlockHash: finalized, finalizedBlockHash: finalized }
    const { payloadStatus } = await this.#engine(node)('engine_forkchoiceUpdatedV3', state, null)
    if (payloadStatus.status !== 'VALID') throw new Error(`head ${head} is ${payloadStatus.status}`)
  }

  #engine(node) {
    const text = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${text({ alg: 'HS256', typ: 'JWT' })}.${text({ iat: Math.floor(Date.now() / 1_000) })}`
    const signature = createHmac('sha256', this.#options.key).update(signed).digest('base64url')
    return callOf(node.engineUrl, { authorization: `Bearer ${signed}.${signature}` })
  }
}

/** Lets a driver do its steps, one in so many milliseconds, until `signal` aborts. */
export async function drive(driver, { milliseconds, signal, step = () => driver.step() }) {
  let next = performance.now()
  while (!signal.aborted) {
    await step()
    next = Math.max(next + milliseconds, performance.now() - milliseconds)
    await sleep(Math.max(0, next - performance.now()))
  }
}
