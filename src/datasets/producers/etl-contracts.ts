// Makes the rows of `contracts` of ethereum-etl: created contracts with the selectors in their code, and the standards that these
// suggest. Follows eth_contract_service.py there.
import { bytesToHex, type Hex } from '../../bytes.js'
import { noBytes } from '../../constants.js'
import { isCreation } from '../../evm/tracing/frame-tree.js'
import { keccak256 } from '../../kernel/keccak.js'
import { visitLastingFrames } from '../execution/frames.js'
import type { RowBuilder } from '../row-builder.js'
import { executionNeeds, executionOf } from './execution-columns.js'
import { blockColumns } from './place-columns.js'
import type { Producer } from './producer.js'

const push1 = 0x60
const push4 = 0x63
const push32 = 0x7f
const jumpDestination = 0x5b

const selector = (signature: string) =>
  bytesToHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4))
const balanceOf = selector('balanceOf(address)')
const transfer = selector('transfer(address,uint256)')
const transferFrom = selector('transferFrom(address,address,uint256)')
const approve = selector('approve(address,uint256)')
const erc20 = [
  selector('totalSupply()'),
  balanceOf,
  transfer,
  transferFrom,
  approve,
  selector('allowance(address,address)'),
]
const erc721 = [selector('ownerOf(uint256)'), balanceOf, approve]

export function etlContractsProducer(rows: RowBuilder): Producer {
  const place = blockColumns(rows)
  const contract = rows.column('address', 'binary')
  const bytecode = rows.column('bytecode', 'binary')
  const selectors = rows.column('function_sighashes', 'string')
  const isErc20 = rows.column('is_erc20', 'bool')
  const isErc721 = rows.column('is_erc721', 'bool')
  return {
    needs: executionNeeds,
    executes: { frames: true },
    append(block) {
      for (const { frames } of executionOf(block).transactions) {
        visitLastingFrames(frames!.first, (frame) => {
          const { entered, output } = frame
          if (!isCreation(entered)) return
          const code = frames!.codeless.has(frame) ? noBytes : output
          const found = codeSelectors(code)
          const has = (wanted: Hex) => found.includes(wanted)
          place(block)
          contract?.append(entered.to)
          bytecode?.append(code)
          selectors?.appendText(found.join(','))
          isErc20?.append(erc20.every(has))
          isErc721?.append(erc721.every(has) && (has(transfer) || has(transferFrom)))
          rows.endRow()
        })
      }
    },
  }
}

/** The operands of PUSH4 before the first JUMPDEST: there contracts compare selectors. Each is listed once; sorted. */
export function codeSelectors(code: Uint8Array): Hex[] {
  const found = new Set<Hex>()
  for (let at = 0; at < code.length && code[at] !== jumpDestination; at++) {
    const operation = code[at]!
    if (operation === push4) found.add(bytesToHex(code.subarray(at + 1, at + 5)))
    if (operation >= push1 && operation <= push32) at += operation - push1 + 1
  }
  return [...found].sort()
}
