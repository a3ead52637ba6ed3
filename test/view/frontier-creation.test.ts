// Before Homestead a creation that cannot pay for its code succeeds without code, and its logs and its value last. The values are
// those of `evm t8n --state.fork Frontier` of geth 1.17.5.
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/bytes.js'
import type { Block } from '../../src/chain/block.js'
import { noBytes } from '../../src/constants.js'
import { processBlock } from '../../src/evm/block/process-block.js'
import { onEvmThread } from '../../src/evm/evm-thread.js'
import { encodeList } from '../../src/rlp/encode.js'
import { parseChainConfig } from '../../src/types/chain-config.js'
import type { Header } from '../../src/types/header.js'
import { encodeStoredReceipts } from '../../src/types/receipt.js'
import { decodeTransaction } from '../../src/types/transaction.js'
import { compareExecution } from '../../src/view/compare-execution.js'
import { memoryState } from '../evm/memory-state.js'

const sender = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b'
const contract = hexToBytes('0x6295ee1b4f6dd65047762f924ecd367c17eabf8f')
/** Its init code makes a log without topics and returns 100 bytes, for which 20,000 gas are needed. */
const envelope = hexToBytes(
  '0xf855800182753080058a60206000a060646000f31ba0be483946d03fe96c5833be5bfab45cee3507c0e58b699e8589039593d9944acca0252a1353893dcd1c42d8bdf1d86297e6bc7451faa4adf9a86737d2bb9dd93b38',
)
const root = hexToBytes('0x57d69b7a1200dfe917ec6e4cbf19edb5af2d305e83bff79701e678d57ef835ed')
const receiptsRoot = '0x3f93e8c713f9395c3e482df78a682d34cd3a4d3266aaabf94da7191e7f81263f'
const log = { address: contract, topics: [], data: new Uint8Array(32) }

/** The bloom that geth computed: its bits. */
function bloom(): Uint8Array {
  const bytes = new Uint8Array(256)
  for (const [at, bits] of [
    [142, 0x40],
    [161, 0x20],
    [217, 0x80],
  ] as const)
    bytes[at] = bits
  return bytes
}

it('keeps the logs of a creation that cannot pay for its code', () => {
  const header = {
    ...{ number: 1, difficulty: 0x20000n, gasLimit: 0x750a163df65e8an, gasUsed: 0x56bfn, timestamp: 1000n },
    ...{ miner: hexToBytes(`0xaa${'00'.repeat(19)}`), receiptsRoot: hexToBytes(receiptsRoot) },
    ...{ parentHash: new Uint8Array(32), extraData: noBytes, logsBloom: bloom() },
  } as unknown as Header
  const config = parseChainConfig(JSON.stringify({ chainId: 1, ethash: {} }))
  const account = { nonce: 0n, balance: 0x56bc75e2d63100000n, code: noBytes, storage: new Map() }
  const environment = {
    config,
    state: memoryState(new Map([[sender, account]])),
    blockHash: () => undefined,
    checkTime: () => {},
  }
  const body = { transactions: [decodeTransaction(envelope)], uncles: [] }
  const processed = onEvmThread((thread) =>
    processBlock({ header, body, senders: [hexToBytes(sender)] }, environment, thread),
  )
  const storedBody = { rlp: encodeList([encodeList([envelope]), encodeList([])]), place: {} }
  const block = { header, hash: new Uint8Array(32), body, storedBody } as unknown as Block
  const receipts = encodeStoredReceipts([{ root, cumulativeGasUsed: 0x56bfn, logs: [log] }])
  compareExecution({ block, receipts: { rlp: receipts, place: {} }, processed }, config)
  expect(processed.state.account(contract)).toMatchObject({ balance: 5n, nonce: 0n })
  expect(bytesToHex(processed.state.account(contract)!.codeHash)).toMatch(/^0xc5d246/)
})
