// Makes the rows of `erc20_balances`, `erc20_supplies` and `erc20_metadata`: what tokens answer after each block. A call that
// fails, or whose output is not of the type that ERC-20 demands, is a null.
import { concatBytes, hexToBytes } from '../../bytes.js'
import type { Header } from '../../types/header.js'
import { decodeText, decodeUint32, decodeWord } from '../abi-values.js'
import type { BytesBuilder } from '../column-builder.js'
import type { U256Builder } from '../integer-builders.js'
import type { RowBuilder } from '../row-builder.js'
import { onDatasetState } from '../state-of-block.js'
import { callContract } from './contract-calls.js'
import type { Producer } from './producer.js'
import { headersAlone, type StateContext } from './state-context.js'

const selectors = {
  balanceOf: hexToBytes('0x70a08231'),
  totalSupply: hexToBytes('0x18160ddd'),
  name: hexToBytes('0x06fdde03'),
  symbol: hexToBytes('0x95d89b41'),
  decimals: hexToBytes('0x313ce567'),
}

/** Zeros before an address in a word. */
const addressPadding = new Uint8Array(12)

export function erc20BalancesProducer(rows: RowBuilder, context: StateContext): Producer {
  const addressColumn = rows.column('address', 'binary')
  const balance = rows.column('balance', 'u256')
  const place = tokenColumns(rows)
  return tokenProducer(context, (header, token) => {
    for (const address of holdersOf(context, header, token)) {
      const input = concatBytes(selectors.balanceOf, addressPadding, address)
      const output = callContract(context, header, { to: token.address, input })
      place(header, token)
      addressColumn?.append(address)
      appendInteger(balance, output)
      rows.endRow()
    }
  })
}

export function erc20SuppliesProducer(rows: RowBuilder, context: StateContext): Producer {
  const supply = rows.column('total_supply', 'u256')
  const place = tokenColumns(rows)
  return tokenProducer(context, (header, token) => {
    const output = callContract(context, header, { to: token.address, input: selectors.totalSupply })
    place(header, token)
    appendInteger(supply, output)
    rows.endRow()
  })
}

export function erc20MetadataProducer(rows: RowBuilder, context: StateContext): Producer {
  const texts = (['name', 'symbol'] as const).map((name) => ({ name, column: rows.column(name, 'string') }))
  const decimals = rows.column('decimals', 'u32')
  const place = tokenColumns(rows)
  return tokenProducer(context, (header, token) => {
    const to = token.address
    place(header, token)
    for (const { name, column } of texts) {
      if (column) appendText(column, callContract(context, header, { to, input: selectors[name] }))
    }
    if (decimals) {
      const value = decodeUint32(callContract(context, header, { to, input: selectors.decimals }))
      if (value === undefined) decimals.appendNull()
      else decimals.append(value)
    }
    rows.endRow()
  })
}

/** A token; `index` is its place among the selected ones. */
interface Token {
  readonly address: Uint8Array
  readonly index: number
}

/** Rows for each token after each block. They are sorted by token first, so they wait for the last block. */
function tokenProducer(
  { dataset, view, selection }: StateContext,
  appendToken: (header: Header, token: Token) => void,
): Producer {
  const headers: Header[] = []
  return {
    needs: headersAlone,
    append({ stored }) {
      headers.push(stored.header)
    },
    finish() {
      for (const [index, address] of selection.contracts.entries()) {
        for (const header of headers) {
          onDatasetState(view, { dataset, header }, () => appendToken(header, { address, index }))
        }
      }
    },
  }
}

function tokenColumns(rows: RowBuilder): (header: Header, token: Token) => void {
  const blockNumber = rows.column('block_number', 'u32')
  const erc20 = rows.column('erc20', 'binary')
  return ({ number }, { address }) => {
    blockNumber?.append(number)
    erc20?.append(address)
  }
}

/** The selected addresses, or those with a transfer of the token up to the block. */
function* holdersOf({ selection }: StateContext, { number }: Header, { index }: Token): Iterable<Uint8Array> {
  if (!selection.allHolders) {
    yield* selection.addresses
    return
  }
  const { addresses, firstBlocks } = selection.holders![index]!
  for (const [i, first] of firstBlocks.entries()) {
    if (first <= number) yield addresses.subarray(20 * i, 20 * i + 20)
  }
}

function appendInteger(column: U256Builder | undefined, output: Uint8Array | undefined): void {
  const word = decodeWord(output)
  if (word === undefined) column?.appendNull()
  else column?.appendBigEndian(word, 0, word.length)
}

function appendText(column: BytesBuilder, output: Uint8Array | undefined): void {
  const text = decodeText(output)
  if (text === undefined) column.appendNull()
  else column.appendText(text)
}
