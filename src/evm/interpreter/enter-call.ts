// Enters an account: transfers the value and opens a frame for its code, unless the call needs no frame. The first frame of
// a transaction and all four call opcodes use it. Follows Call, CallCode, DelegateCall and
// StaticCall of core/vm/evm.go.
import { noBytes } from '../../constants.js'
import { FrameError } from '../call-errors.js'
import { frameLimit } from '../core/machine.js'
import type { OverlayAccount, OverlayAddress } from '../overlay/overlay-account.js'
import type { Precompile } from '../precompiles/precompile.js'
import type { Execution } from './execution.js'
import type { FrameOutcome } from './frame.js'
import { depthExceeded, insufficientBalance, outOfGas } from './frame-errors.js'
import { frameOpcodes } from './tracer.js'

/** One call: by a transaction or a call opcode. */
export interface CallSpec {
  readonly opcode: number
  readonly depth: number
  /** The account whose code runs. */
  readonly target: OverlayAddress
  /** The account whose state it uses; not the target with CALLCODE and DELEGATECALL. */
  readonly account: OverlayAddress
  /** What CALLER shows, 20 bytes. */
  readonly caller: Uint8Array
  readonly value: bigint
  /** The account that must be able to pay the value; undefined if nothing is transferred: DELEGATECALL, STATICCALL, the system. */
  readonly payer: OverlayAccount | undefined
  readonly isStatic: boolean
  readonly gas: bigint
  /** Address and length of the input in the machine's memory. */
  readonly input: number
  readonly inputLength: number
  /** First address that the memory of a new frame may use. */
  readonly memoryStart: number
  readonly outputOffset: number
  readonly outputLength: number
}

/** The clock is checked after a precompile that costs this much gas; cheaper ones count as any host operation. */
const dearPrecompile = 5_000

/** Returns how the call ended, or undefined if its frame was opened and must run. */
export function enterCall(execution: Execution, spec: CallSpec): FrameOutcome | undefined {
  const { tracer } = execution
  if (tracer === undefined) return openCall(execution, spec)
  const { opcode, input, inputLength, gas } = spec
  tracer.enter?.({
    opcode,
    from: opcode === frameOpcodes.delegateCall ? spec.account.address : spec.caller,
    to: spec.target.address,
    input: execution.machine.bytes.slice(input, input + inputLength),
    gas,
    value: opcode === frameOpcodes.staticCall ? undefined : spec.value,
  })
  const outcome = openCall(execution, spec)
  if (outcome !== undefined) tracer.exit?.(outcome, outcome.error !== undefined)
  return outcome
}

function openCall(execution: Execution, spec: CallSpec): FrameOutcome | undefined {
  const { overlay, precompiles, rules } = execution
  const { target, payer, value, gas } = spec
  if (spec.depth >= frameLimit) return { output: noBytes, gasLeft: gas, error: depthExceeded }
  if (payer !== undefined && payer.balance < value) {
    return { output: noBytes, gasLeft: gas, error: insufficientBalance }
  }
  const precompile = precompiles.at(target.address)
  const checkpoint = overlay.checkpoint()
  if (spec.opcode === frameOpcodes.call) {
    // A CALL creates a target that does not exist, and moves the value to it.
    const account = overlay.read(target)
    if (!account.exists) {
      if (precompile === undefined && rules.eip158 && value === 0n) return { output: noBytes, gasLeft: gas }
      overlay.create(account)
    }
    if (payer !== undefined) {
      overlay.subtractBalance(payer, value)
      overlay.addBalance(account, value)
    }
  } else if (spec.isStatic && spec.account === target) {
    // A static call touches its target, which matters when empty accounts are deleted.
    overlay.addBalance(overlay.read(target), 0n)
  }
  if (precompile !== undefined) {
    const outcome = runPrecompile(execution, spec, precompile)
    if (outcome.error !== undefined) overlay.revertTo(checkpoint)
    return outcome
  }
  const account = overlay.read(target)
  const source = rules.prague ? codeSource(execution, account) : account
  const code = execution.code.place(source, overlay, spec.memoryStart)
  if (code === undefined) return { output: noBytes, gasLeft: gas }
  execution.openFrame({
    depth: spec.depth,
    header: 0,
    account: overlay.read(spec.account),
    address: spec.account.address,
    caller: spec.caller,
    value,
    isStatic: spec.isStatic,
    checkpoint,
    isCreation: false,
    outputOffset: spec.outputOffset,
    outputLength: spec.outputLength,
    returnData: noBytes,
    code: code.placed,
    memoryBase: code.end,
    input: spec.input,
    inputLength: spec.inputLength,
    gas,
  })
  return undefined
}

/** The account whose code runs, after one step of delegation (EIP-7702). */
function codeSource({ code, overlay }: Execution, account: OverlayAccount): OverlayAccount {
  const delegate = code.delegation(account, overlay)
  return delegate === undefined ? account : overlay.account(delegate)
}

function runPrecompile(execution: Execution, spec: CallSpec, precompile: Precompile): FrameOutcome {
  const { input: start, inputLength, gas } = spec
  const input = execution.machine.bytes.slice(start, start + inputLength)
  execution.countBytes(inputLength)
  const cost = precompile.gas(input)
  if (cost > Number.MAX_SAFE_INTEGER || BigInt(cost) > gas)
    return { output: noBytes, gasLeft: 0n, error: outOfGas }
  try {
    const output = precompile.run(input, execution)
    if (cost >= dearPrecompile) execution.checkTime()
    return { output, gasLeft: gas - BigInt(cost) }
  } catch (error) {
    if (error instanceof FrameError) return { output: noBytes, gasLeft: 0n, error }
    throw error
  }
}
