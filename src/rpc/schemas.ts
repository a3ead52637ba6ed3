// JSON Schemas (draft 7) by name: of all arguments, and of results that several methods share. A result of one method has its
// schema beside its encoder. Data only: the OpenRPC document shows them, decoders in parameters/ decide what is accepted, with
// geth's texts. Fields follow geth's internal/ethapi.

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A string of this form. */
export const text = (pattern: string, title: string): JsonSchema => ({ title, type: 'string', pattern })
const hex = (bytes: number, title: string) => text(`^0x[0-9a-fA-F]{${2 * bytes}}$`, title)
const member = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
/** A list of values of one schema. */
export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
/** A value of a schema, or null. */
export const orNothing = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: 'null' }] })

/** An object whose members are those of `always`, and perhaps some of `sometimes`. */
export function object(
  title: string,
  always: Readonly<Record<string, JsonSchema>>,
  sometimes: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const properties = { ...always, ...sometimes }
  return { title, type: 'object', required: Object.keys(always), properties, additionalProperties: false }
}

const quantity = member('Quantity')
const data = member('Data')
const hash = member('Hash')
const address = member('Address')
const blockNumber = member('BlockNumber')

const call = {
  from: address,
  to: orNothing(address),
  gas: quantity,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  value: quantity,
  nonce: quantity,
  data,
  input: data,
  accessList: arrayOf(member('AccessListEntry')),
  chainId: quantity,
  maxFeePerBlobGas: quantity,
  blobVersionedHashes: arrayOf(hash),
  blobs: arrayOf(data),
  commitments: arrayOf(data),
  proofs: arrayOf(data),
  authorizationList: arrayOf(member('Authorization')),
}

const header = {
  difficulty: quantity,
  extraData: data,
  gasLimit: quantity,
  gasUsed: quantity,
  hash: orNothing(hash),
  logsBloom: hex(256, 'Bloom filter, 256 bytes'),
  miner: orNothing(address),
  mixHash: hash,
  nonce: orNothing(hex(8, 'Nonce of proof of work, 8 bytes')),
  number: quantity,
  parentHash: hash,
  receiptsRoot: hash,
  sha3Uncles: hash,
  stateRoot: hash,
  timestamp: quantity,
  transactionsRoot: hash,
}

/** Members of a header that came with forks. */
const headerOfForks = {
  baseFeePerGas: quantity,
  blobGasUsed: quantity,
  blockAccessListHash: hash,
  excessBlobGas: quantity,
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
  slotNumber: quantity,
  withdrawalsRoot: hash,
}

const slots: JsonSchema = { type: 'object', propertyNames: hash, additionalProperties: hash }

const stateOverride = object(
  'State of one account for a call',
  {},
  {
    nonce: quantity,
    code: data,
    balance: quantity,
    state: slots,
    stateDiff: slots,
    movePrecompileToAddress: address,
  },
)

/** Schemas by name, as the document's components. */
export const schemas = {
  Quantity: text('^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$', 'Number in hexadecimal, without leading zeros'),
  Data: text('^0x([0-9a-fA-F]{2})*$', 'Bytes in hexadecimal'),
  Hash: hex(32, 'Hash, 32 bytes'),
  Address: hex(20, 'Address, 20 bytes'),
  Word: hex(32, 'Word of storage, 32 bytes'),
  StoragePosition: text('^(0[xX])?[0-9a-fA-F]{0,64}$', 'Position in storage, any number of digits up to 64'),
  StorageKeys: {
    title: 'Positions in storage',
    type: 'array',
    items: member('StoragePosition'),
    maxItems: 1024,
  },
  Decimal: text('^[0-9]+$', 'Number in decimal'),
  Boolean: { title: 'Yes or no', type: 'boolean' },
  SubscriptionName: {
    title: 'What to subscribe to',
    type: 'string',
    enum: ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing'],
  },
  SubscriptionFilter: {
    title: 'Which logs, which receipts, or whether whole transactions are meant',
    oneOf: [member('LogFilter'), member('ReceiptQuery'), member('Boolean')],
  },
  ReceiptQuery: object('Which receipts; default all', {}, { transactionHashes: arrayOf(hash) }),
  Text: { title: 'Text', type: 'string' },
  BlockTag: {
    title: 'Block by name; safe equals finalized, pending is the empty block after the head',
    type: 'string',
    enum: ['earliest', 'finalized', 'safe', 'latest', 'pending'],
  },
  BlockNumber: { title: 'Block by number or name', oneOf: [quantity, member('BlockTag')] },
  BlockObject: {
    title: 'Block as in EIP-1898',
    oneOf: [
      object('Block by number or name', { blockNumber }),
      object('Block by hash', { blockHash: hash }, { requireCanonical: member('Boolean') }),
    ],
  },
  Block: {
    title: 'Block by number, name or hash',
    // A hash of 32 bytes may also be a number by its looks.
    anyOf: [blockNumber, hash, member('BlockObject')],
  },
  ReceiptsBlock: {
    title: 'Block by number, also a decimal one, name or hash',
    anyOf: [member('Block'), member('Decimal'), { type: 'integer', minimum: 0 }],
  },
  LogFilter: object(
    'Log filter: a block by hash or a range with both ends, addresses, and topics by position',
    {},
    {
      blockHash: orNothing(hash),
      fromBlock: orNothing(blockNumber),
      toBlock: orNothing(blockNumber),
      address: { oneOf: [address, arrayOf(address), { type: 'null' }] },
      topics: orNothing({
        type: 'array',
        maxItems: 4,
        items: { oneOf: [hash, arrayOf(orNothing(hash)), { type: 'null' }] },
      }),
    },
  ),
  Call: object('Call', {}, call),
  StateOverrides: {
    title: 'State of accounts for a call, by address',
    type: 'object',
    propertyNames: address,
    additionalProperties: stateOverride,
  },
  BlockOverrides: object(
    'Block context for a call',
    {},
    {
      number: quantity,
      difficulty: quantity,
      time: quantity,
      gasLimit: quantity,
      feeRecipient: address,
      prevRandao: hash,
      baseFeePerGas: quantity,
      blobBaseFee: quantity,
    },
  ),
  BlockCount: {
    title: 'Number of blocks, hexadecimal or decimal',
    oneOf: [quantity, member('Decimal'), { type: 'integer', minimum: 0 }],
  },
  Percentiles: {
    title: 'Percentiles in ascending order',
    type: 'array',
    maxItems: 100,
    items: { type: 'number', minimum: 0, maximum: 100 },
  },
  Integer: { title: 'JSON number', type: 'integer' },
  StorageRequest: {
    title: 'Slots by account, at most 1,024 in all',
    type: 'object',
    propertyNames: address,
    additionalProperties: orNothing(arrayOf(hash)),
  },
  Simulation: {
    title:
      'Blocks of calls with overrides (blockStateCalls), traceTransfers, validation and returnFullTransactions',
    type: 'object',
  },
  SimulatedBlock: { title: 'Block with the results of its calls', type: 'object' },
  TraceConfig: {
    title: 'Tracer, its options and its time limit; geth ignores other members',
    type: 'object',
  },
  TraceCallConfig: {
    title: 'As the config of a trace, with stateOverrides, blockOverrides and txIndex',
    type: 'object',
  },
  Trace: { title: 'What the tracer gives' },
  TraceTypes: {
    title: 'What is shown of each transaction',
    type: 'array',
    items: { enum: ['trace', 'stateDiff', 'vmTrace'] },
  },
  TraceIndexes: {
    title: 'Index of a frame in the list of a transaction',
    type: 'array',
    items: { type: 'integer' },
  },
  TraceFilter: object(
    'Frames of at most 100 blocks, by sender and target',
    {},
    {
      fromBlock: blockNumber,
      toBlock: blockNumber,
      fromAddress: arrayOf(address),
      toAddress: arrayOf(address),
      mode: { enum: ['union', 'intersection'] },
      after: { type: 'integer' },
      count: { type: 'integer' },
    },
  ),
  ParityFrame: {
    title: 'Frame or reward in the form of Parity: action, result, type, and its place',
    type: 'object',
  },
  ParityResults: object(
    'Output of a transaction, and what was asked for of frames, changes and opcodes',
    {
      output: data,
      stateDiff: orNothing({ type: 'object' }),
      trace: arrayOf({ type: 'object' }),
      vmTrace: orNothing({ type: 'object' }),
    },
    { transactionHash: hash },
  ),
  TransactionTraces: {
    title: 'Trace of each transaction',
    type: 'array',
    items: object('Trace', { txHash: hash }, { result: {}, error: { type: 'string' } }),
  },
  ExecutionWitness: object(
    'Parent and older ancestors whose hashes are read; codes and trie nodes of the state before a block, ascending',
    {
      headers: arrayOf({ type: 'object' }),
      codes: arrayOf(data),
      state: arrayOf(data),
      keys: { type: 'null' },
    },
  ),
  AccessListEntry: object('Account and its storage that is accessed', {
    address,
    storageKeys: arrayOf(hash),
  }),
  Authorization: object('Code delegation of EIP-7702', {
    chainId: quantity,
    address,
    nonce: quantity,
    yParity: quantity,
    r: quantity,
    s: quantity,
  }),
  Transaction: object(
    'Transaction',
    {
      blockHash: hash,
      blockNumber: quantity,
      blockTimestamp: quantity,
      from: address,
      gas: quantity,
      gasPrice: quantity,
      hash,
      input: data,
      nonce: quantity,
      to: orNothing(address),
      transactionIndex: quantity,
      value: quantity,
      type: quantity,
      v: quantity,
      r: quantity,
      s: quantity,
    },
    {
      maxFeePerGas: quantity,
      maxPriorityFeePerGas: quantity,
      maxFeePerBlobGas: quantity,
      accessList: arrayOf(member('AccessListEntry')),
      chainId: quantity,
      blobVersionedHashes: arrayOf(hash),
      authorizationList: arrayOf(member('Authorization')),
      yParity: quantity,
    },
  ),
  Withdrawal: object('Withdrawal', {
    index: quantity,
    validatorIndex: quantity,
    address,
    amount: quantity,
  }),
  Header: object('Header; null is what the pending one lacks', header, headerOfForks),
  Uncle: object(
    'Uncle: its header as a block without transactions',
    { ...header, size: quantity, uncles: arrayOf(hash) },
    headerOfForks,
  ),
  FilledBlock: object(
    'Block with hashes of its transactions, or with the transactions; null is what the pending one lacks',
    {
      ...header,
      size: quantity,
      transactions: { type: 'array', items: { oneOf: [hash, member('Transaction')] } },
      uncles: arrayOf(hash),
    },
    { ...headerOfForks, totalDifficulty: quantity, withdrawals: arrayOf(member('Withdrawal')) },
  ),
  Log: object('Log', {
    address,
    topics: { type: 'array', items: hash, maxItems: 4 },
    data,
    blockNumber: quantity,
    transactionHash: hash,
    transactionIndex: quantity,
    blockHash: hash,
    blockTimestamp: quantity,
    logIndex: quantity,
    removed: { const: false },
  }),
  Receipt: object(
    'Receipt; state roots stand in place of the status before Byzantium',
    {
      blockHash: hash,
      blockNumber: quantity,
      contractAddress: orNothing(address),
      cumulativeGasUsed: quantity,
      effectiveGasPrice: quantity,
      from: address,
      gasUsed: quantity,
      logs: arrayOf(member('Log')),
      logsBloom: hex(256, 'Bloom filter, 256 bytes'),
      to: orNothing(address),
      transactionHash: hash,
      transactionIndex: quantity,
      type: quantity,
    },
    { blobGasPrice: quantity, blobGasUsed: quantity, root: hash, status: quantity },
  ),
} as const satisfies Readonly<Record<string, JsonSchema>>

export type SchemaName = keyof typeof schemas

/** The schema of that name. */
export function schemaOf(name: SchemaName): JsonSchema {
  return member(name)
}

/** The schema of that name, or null. */
export function orNull(name: SchemaName): JsonSchema {
  return orNothing(member(name))
}

/** A list of values of that schema. */
export function listOf(name: SchemaName): JsonSchema {
  return arrayOf(member(name))
}

/** A list of values of that schema, or null. */
export function listOrNull(name: SchemaName): JsonSchema {
  return orNothing(arrayOf(member(name)))
}
