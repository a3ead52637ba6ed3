// Runs the frames of a message on @ethereumjs/evm and writes their changes back into the overlay.
import { createEVM, type EVM, getActivePrecompiles } from '@ethereumjs/evm'
import { Account, Address } from '@ethereumjs/util'
import { bytesToHex, hexToBytes } from '../../bytes.js'
import { FrameError } from '../call-errors.js'
import { Machine } from '../core/machine.js'
import type { FrameOutcome } from '../interpreter/frame.js'
import { executionReverted } from '../interpreter/frame-errors.js'
import type { MessageContext } from '../message.js'
import type { StateOverlay } from '../overlay/state-overlay.js'
import { kzgPointEvaluation } from '../precompiles/kzg.js'
import { precompileAddresses } from '../precompiles/precompile-set.js'
import { CallCommon } from './common.js'
import { gethText } from './error-texts.js'
import { CallStateManager } from './state-manager.js'

/** As runFrames of the interpreter. */
export async function runFramesOnEthereumjs(call: MessageContext, gas: bigint): Promise<FrameOutcome> {
  const { message, overlay, rules, block } = call
  const stateManager = new CallStateManager(overlay)
  const evm = await createCallEvm(call, stateManager)
  const { execResult } = await evm.runCall({
    caller: new Address(message.from),
    ...(message.to !== undefined && { to: new Address(message.to) }),
    value: message.value,
    data: message.input,
    gasLimit: gas,
    gasPrice: message.gasPrice,
    origin: new Address(message.from),
    // The nonce of a caller is raised already. The creation raises the nonce of a creator.
    skipNonceIncrement: message.to !== undefined,
    blobVersionedHashes: (message.blobHashes ?? []).map(bytesToHex),
    block: {
      header: {
        number: block.number,
        coinbase: new Address(block.coinbase),
        timestamp: block.timestamp,
        difficulty: block.difficulty,
        prevRandao: block.prevRandao ?? new Uint8Array(32),
        gasLimit: block.gasLimit,
        ...(block.baseFee !== undefined && { baseFeePerGas: block.baseFee }),
        getBlobGasPrice: () => block.blobBaseFee ?? 0n,
      },
    },
  })
  if (rules.eip158) await evm.journal.cleanup()
  const { exceptionError, returnValue, executionGasUsed } = execResult
  const outcome = { output: returnValue, gasLeft: gas > executionGasUsed ? gas - executionGasUsed : 0n }
  const keepsState = exceptionError?.error === 'code store out of gas' && !rules.homestead
  if (exceptionError === undefined || keepsState) {
    for (const [address, topics, data] of execResult.logs ?? []) overlay.logs.push({ address, topics, data })
    overlay.refund += Number(execResult.gasRefund ?? 0n)
  }
  // Also after a failure: the nonce of a creator stays raised.
  writeBack(stateManager, overlay)
  // From Cancun on only contracts that the transaction itself created are destroyed (EIP-6780).
  for (const address of execResult.selfdestruct?.keys() ?? []) {
    if (rules.cancun && !execResult.createdAddresses?.has(address)) continue
    overlay.selfDestruct(overlay.account(hexToBytes(address)))
  }
  if (exceptionError === undefined) return outcome
  if (exceptionError.error === 'revert') return { ...outcome, error: executionReverted }
  return {
    ...outcome,
    gasLeft: keepsState ? outcome.gasLeft : 0n,
    error: new FrameError(gethText(exceptionError.error)),
  }
}

async function createCallEvm(call: MessageContext, stateManager: CallStateManager): Promise<EVM> {
  const { config, rules, block, checkTime } = call
  const common = new CallCommon(rules, config.chainId, checkTime)
  const evm = (await createEVM({
    common,
    stateManager,
    customPrecompiles: customPrecompiles(call, common),
    blockchain: {
      async getBlock(number: number) {
        return { hash: () => block.ancestorHash(BigInt(number)) ?? new Uint8Array(32) }
      },
      async putBlock() {},
      shallowCopy() {
        return this
      },
    },
  })) as EVM
  for (const account of call.overlay.accounts()) {
    if (account.warm) evm.journal.addAlwaysWarmAddress(plainHex(account.address))
  }
  for (const address of precompileAddresses(rules).keys()) {
    evm.journal.addAlwaysWarmAddress(address.toString(16).padStart(40, '0'))
  }
  evm.journal.addAlwaysWarmAddress(plainHex(call.message.from))
  if (call.message.to !== undefined) evm.journal.addAlwaysWarmAddress(plainHex(call.message.to))
  if (rules.shanghai) evm.journal.addAlwaysWarmAddress(plainHex(block.coinbase))
  for (const { address, storageKeys } of call.message.accessList ?? []) {
    evm.journal.addAlwaysWarmAddress(plainHex(address))
    for (const key of storageKeys) evm.journal.addAlwaysWarmSlot(plainHex(address), plainHex(key))
  }
  return evm
}

type Precompiles = NonNullable<NonNullable<Parameters<typeof createEVM>[0]>['customPrecompiles']>

/**
 * Precompiles that overrides removed or copied, and the point evaluation, for which EthereumJS would need another
 * library.
 */
function customPrecompiles(
  { precompiles, rules, checkTime }: MessageContext,
  common: CallCommon,
): Precompiles {
  const custom: Precompiles = []
  const active = getActivePrecompiles(common)
  for (const [address, precompile] of precompiles.changes()) {
    const original = [...precompileAddresses(rules)].find(([, candidate]) => candidate === precompile)
    const run = original && active.get(original[0].toString(16).padStart(40, '0'))
    custom.push({
      address: new Address(hexToBytes(address)),
      ...(run && { function: run }),
    } as Precompiles[number])
  }
  const pointEvaluation = new Address(hexToBytes('000000000000000000000000000000000000000a'))
  if (rules.cancun && precompiles.at(pointEvaluation.bytes) !== undefined) {
    custom.push({
      address: pointEvaluation,
      function: ({ data, gasLimit }) => {
        const cost = BigInt(kzgPointEvaluation.gas(data))
        if (gasLimit < cost) return failure(gasLimit, 'out of gas')
        try {
          const output = kzgPointEvaluation.run(data, { machine: new Machine(), checkTime })
          return { executionGasUsed: cost, returnValue: output }
        } catch (error) {
          if (error instanceof FrameError) return failure(gasLimit, error.message)
          throw error
        }
      },
    })
  }
  return custom
}

function failure(gasLimit: bigint, message: string) {
  return {
    executionGasUsed: gasLimit,
    returnValue: new Uint8Array(),
    exceptionError: { error: message as 'out of gas', errorType: 'EVMError' },
  }
}

function writeBack({ changes }: CallStateManager, overlay: StateOverlay): void {
  for (const [address, account] of changes.accounts) {
    const target = overlay.account(hexToBytes(address))
    const { nonce, balance } = account ?? new Account()
    if (nonce !== target.nonce) overlay.setNonce(target, nonce)
    if (account !== undefined || target.exists) overlay.setBalance(target, balance)
    if (account === undefined && target.exists) overlay.selfDestruct(target)
    const code = changes.codes.get(address)
    if (account !== undefined && code !== undefined) overlay.setCode(target, code)
  }
  const value = new Uint32Array(8)
  for (const [address, slots] of changes.storage) {
    const target = overlay.account(hexToBytes(address))
    if (!target.exists) continue
    for (const [key, bytes] of slots) {
      const slot = overlay.slot(target, hexToBytes(key))
      overlay.loadSlot(slot)
      new Uint8Array(value.fill(0).buffer).set(bytes, 32 - bytes.length)
      overlay.setSlot(target, slot, value, 0)
    }
  }
}

function plainHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2)
}
