// Random requests about a chain that grows: blocks, receipts, logs, state, lookups. All name their block, so that geth and
// a reader that is behind it have the same answer.

const topic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const hex = (number) => `0x${number.toString(16)}`

/** Collects what there is to ask for. */
export class ChainCatalog {
  blocks = []
  transactions = []
  accounts = new Set()
  contracts = new Set()

  /** Adds the next block, with its transactions and receipts as geth answers them. */
  add(block, receipts) {
    this.blocks.push({
      number: Number(block.number),
      hash: block.hash,
      transactions: block.transactions.length,
    })
    for (const { hash, from, to } of block.transactions) {
      this.transactions.push({ hash, block: Number(block.number) })
      for (const address of [from, to]) if (address) this.accounts.add(address)
    }
    for (const { contractAddress } of receipts) if (contractAddress) this.contracts.add(contractAddress)
    this.accountList = [...this.accounts]
    this.contractList = [...this.contracts]
  }

  /** A request about blocks up to the newest; `number` is the newest block that it is about. */
  random() {
    const at = Math.random() < 0.5 ? this.#below(this.blocks.length) : this.#recent()
    const { number, hash, transactions } = this.blocks[at]
    const transaction = this.transactions[this.#below(this.transactions.length)]
    const first = Math.max(0, number - this.#below(20))
    const contract = this.contractList[this.#below(this.contractList.length)]
    const account = this.accountList[this.#below(this.accountList.length)]
    const any = Math.random() < 0.3 && contract ? contract : account
    const about = (method, ...params) => ({ number, method, params })
    const aboutTransaction = (method) => ({ number: transaction.block, method, params: [transaction.hash] })
    const range = { fromBlock: hex(first), toBlock: hex(number) }
    const kinds = [
      () => about('eth_getBlockByNumber', hex(number), false),
      () => about('eth_getBlockByHash', hash, this.#below(4) === 0),
      () => about('eth_getBlockTransactionCountByNumber', hex(number)),
      () => about('eth_getBlockReceipts', hex(number)),
      () => aboutTransaction('eth_getTransactionByHash'),
      () => aboutTransaction('eth_getTransactionReceipt'),
      () => about('eth_getTransactionByBlockNumberAndIndex', hex(number), hex(this.#below(transactions + 1))),
      () =>
        about(
          'eth_getTransactionByHash',
          `0x${'0'.repeat(60)}${hex(this.#below(65_536)).slice(2).padStart(4, '0')}`,
        ),
      () => about('eth_getLogs', range),
      () => about('eth_getLogs', { ...range, topics: [topic] }),
      () => about('eth_getLogs', { blockHash: hash, ...(contract && { address: contract }) }),
      () => about('eth_getBalance', any, hex(number)),
      () => about('eth_getTransactionCount', any, hex(number)),
      () => about('eth_getCode', any, hex(number)),
      () => about('eth_getStorageAt', any, hex(this.#below(6)), hex(number)),
    ]
    return kinds[this.#below(kinds.length)]()
  }

  #below(bound) {
    return Math.floor(Math.random() * bound)
  }

  #recent() {
    return Math.max(0, this.blocks.length - 1 - this.#below(8))
  }
}

/** The requests as a batch. */
export function toBatch(requests) {
  return requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
}
