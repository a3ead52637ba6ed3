// Derives the rows of datasets of state from answers of JSON-RPC, and those of whole states from a dump that geth wrote.
import { readFileSync } from 'node:fs'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Row, u256 } from './expected-rows.js'

/** What rows are wanted of. */
export interface StateRows {
  readonly request: (method: string, params: readonly unknown[]) => Promise<unknown>
  readonly selection: {
    readonly address: readonly string[]
    readonly contract: readonly string[]
    readonly slot: readonly string[]
    readonly callData: string
  }
  /** One that testdata/dumps has. */
  readonly block: number
  readonly chainId: bigint
  /** The fixture whose dump is read. */
  readonly fixture: string
}

/** An account of a dump. */
interface DumpedAccount {
  readonly balance: string
  readonly nonce: number
  readonly root: string
  readonly codeHash: string
  readonly address?: string
  readonly key: string
  readonly storage?: Readonly<Record<string, string>>
}

const selectors = {
  balanceOf: '0x70a08231',
  totalSupply: '0x18160ddd',
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
}

const keccak = (hex: string) =>
  `0x${Buffer.from(keccak_256(Buffer.from(hex.slice(2), 'hex'))).toString('hex')}`
const word = (value: string) => `0x${value.replace(/^0x/, '').padStart(64, '0')}`

/** The text of an ABI string. */
function textOf(output: string): string {
  const bytes = Buffer.from(output.slice(2), 'hex')
  return bytes.subarray(64, 64 + Number(BigInt(`0x${bytes.toString('hex', 32, 64)}`))).toString()
}

/** Every column of every row after the block, as `expectedRows` has them. */
export async function expectedStateRows(dataset: string, given: StateRows): Promise<Row[]> {
  const rows = await rowsOf[dataset]!(given)
  return rows.map((row) => ({ ...row, chain_id: given.chainId }))
}

type MakeRows = (given: StateRows) => Promise<Row[]> | Row[]

const tagOf = ({ block }: StateRows) => `0x${block.toString(16)}`

function ofAddresses(method: string, row: (answer: string) => Row): MakeRows {
  return (given) =>
    Promise.all(
      [...given.selection.address].sort().map(async (address) => ({
        block_number: BigInt(given.block),
        address,
        ...row((await given.request(method, [address, tagOf(given)])) as string),
      })),
    )
}

async function call(given: StateRows, to: string, data: string): Promise<string> {
  return (await given.request('eth_call', [{ to, data }, tagOf(given)])) as string
}

function ofTokens(row: (given: StateRows, token: string) => Promise<readonly Row[]>): MakeRows {
  return async (given) => {
    const rows: Row[] = []
    for (const erc20 of [...given.selection.contract].sort())
      rows.push(
        ...(await row(given, erc20)).map((one) => ({ block_number: BigInt(given.block), erc20, ...one })),
      )
    return rows
  }
}

function dumped({ block, fixture }: StateRows): DumpedAccount[] {
  const path = new URL(`../../testdata/dumps/${fixture}/${block}.json`, import.meta.url)
  const { accounts } = JSON.parse(readFileSync(path, 'utf8')) as { accounts: Record<string, DumpedAccount> }
  return Object.values(accounts).sort((a, b) => (a.key < b.key ? -1 : 1))
}

const rowsOf: Readonly<Record<string, MakeRows>> = {
  balances: ofAddresses('eth_getBalance', (balance) => u256('balance', balance)),
  nonces: ofAddresses('eth_getTransactionCount', (nonce) => ({ nonce: BigInt(nonce) })),
  codes: ofAddresses('eth_getCode', (code) => ({ code })),
  slots: async (given) => {
    const rows: Row[] = []
    for (const address of [...given.selection.address].sort()) {
      for (const slot of given.selection.slot) {
        const value = await given.request('eth_getStorageAt', [address, slot, tagOf(given)])
        rows.push({ block_number: BigInt(given.block), address, slot: word(slot), value })
      }
    }
    return rows
  },
  erc20_balances: ofTokens((given, token) =>
    Promise.all(
      [...given.selection.address].sort().map(async (address) => {
        const input = `${selectors.balanceOf}${word(address).slice(2)}`
        return { address, ...u256('balance', await call(given, token, input)) }
      }),
    ),
  ),
  erc20_supplies: ofTokens(async (given, token) => [
    u256('total_supply', await call(given, token, selectors.totalSupply)),
  ]),
  erc20_metadata: ofTokens(async (given, token) => [
    {
      name: textOf(await call(given, token, selectors.name)),
      symbol: textOf(await call(given, token, selectors.symbol)),
      decimals: BigInt(await call(given, token, selectors.decimals)),
    },
  ]),
  eth_calls: async (given) => {
    const { contract, callData } = given.selection
    const rows: Row[] = []
    for (const address of [...contract].sort()) {
      const output = await call(given, address, callData)
      rows.push({
        block_number: BigInt(given.block),
        contract_address: address,
        call_data: callData,
        call_data_hash: keccak(callData),
        output_data: output,
        output_data_hash: keccak(output),
      })
    }
    return rows
  },
  accounts: (given) =>
    dumped(given).map(({ key, address, nonce, balance, codeHash, root }) => ({
      address_hash: key,
      address: address ?? null,
      nonce: BigInt(nonce),
      ...u256('balance', balance),
      code_hash: codeHash,
      storage_root: root,
    })),
  storage: (given) =>
    dumped(given).flatMap(({ key, address, storage = {} }) =>
      Object.entries(storage)
        .map(([slot, value]) => ({
          address_hash: key,
          address: address ?? null,
          slot_hash: keccak(slot),
          slot,
          value: word(value),
        }))
        .sort((a, b) => (a.slot_hash < b.slot_hash ? -1 : 1)),
    ),
}
