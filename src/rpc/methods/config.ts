// Methods about the rules of the chain and about what is there to be asked.
import { bytesToHex, quantity } from '../../bytes.js'
import { chainForks, type ForkConfig } from '../../chain/fork-config.js'
import { firstIndexedBlock } from '../../chain/transaction-index.js'
import { joinRanges } from '../../view/available-states.js'
import { method, onWorkers } from '../method.js'
import { object, orNothing, schemaOf, text } from '../schemas.js'

const fork = object('Rules from a fork on (EIP-7910)', {
  activationTime: { type: 'integer', minimum: 0 },
  blobSchedule: orNothing(
    object('Blob parameters', {
      target: { type: 'integer' },
      max: { type: 'integer' },
      baseFeeUpdateFraction: { type: 'integer' },
    }),
  ),
  chainId: schemaOf('Quantity'),
  forkId: text('^0x[0-9a-fA-F]{8}$', 'Fork id of EIP-6122'),
  precompiles: { type: 'object', additionalProperties: schemaOf('Address') },
  systemContracts: { type: 'object', additionalProperties: schemaOf('Address') },
})

const resourceSchema = object(
  'Whether a kind of data is there, and from which block on',
  { disabled: schemaOf('Boolean') },
  { oldestBlock: schemaOf('Quantity') },
)

/** A fork as JSON, keys in declaration order; null for none. */
function forkJson(fork: ForkConfig | undefined): string {
  if (fork === undefined) return 'null'
  const { activationTime, blobSchedule, chainId, forkId, precompiles, systemContracts } = fork
  const blobs =
    blobSchedule === undefined
      ? 'null'
      : `{"target":${blobSchedule.target},"max":${blobSchedule.max},"baseFeeUpdateFraction":${blobSchedule.baseFeeUpdateFraction}}`
  return (
    `{"activationTime":${activationTime},"blobSchedule":${blobs},"chainId":"${quantity(chainId)}"` +
    `,"forkId":"${bytesToHex(forkId)}","precompiles":${JSON.stringify(Object.fromEntries(precompiles))}` +
    `,"systemContracts":${JSON.stringify(Object.fromEntries(systemContracts))}}`
  )
}

/** A kind of data by its first block; undefined for none. */
function resource(oldest: number | bigint | undefined): object {
  return oldest === undefined ? { disabled: true } : { disabled: false, oldestBlock: quantity(oldest) }
}

/** Methods about rules and contents by name. */
export const configMethods = {
  eth_config: method({
    summary: 'Fork of the head, the next one and the last one that is planned (EIP-7910)',
    parameters: [],
    result: object('Rules of the head, of the next fork and of the last one that is planned', {
      current: orNothing(fork),
      next: orNothing(fork),
      last: orNothing(fork),
    }),
    run({ view }) {
      const { current, next, last } = chainForks(view.chain)
      return `{"current":${forkJson(current)},"next":${forkJson(next)},"last":${forkJson(last)}}`
    },
  }),

  eth_capabilities: method({
    summary: 'From which block on states, transactions, logs, receipts and bodies are in the directory',
    parameters: [],
    result: object('What is there of each kind of data', {
      head: object('Head block', { number: schemaOf('Quantity'), hash: schemaOf('Hash') }),
      state: resourceSchema,
      tx: resourceSchema,
      logs: resourceSchema,
      receipts: resourceSchema,
      blocks: resourceSchema,
      stateproofs: resourceSchema,
    }),
    ...onWorkers,
    async run({ view }) {
      const { header, hash } = view.chain.head()
      const { states, proofs } = await view.availableStates()
      const [newest] = joinRanges(states)
      const [proved] = proofs
      const bodies = resource(view.chain.historyCutoff)
      return JSON.stringify({
        head: { number: quantity(header.number), hash: bytesToHex(hash) },
        state: resource(newest?.fromBlock),
        tx: resource(firstIndexedBlock(view.chain)),
        logs: bodies,
        receipts: bodies,
        blocks: bodies,
        stateproofs: resource(proved?.fromBlock),
      })
    },
  }),
}
