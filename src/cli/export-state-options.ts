// The options of `geth-reader export` for datasets of state: which tokens, slots and calls they have rows for.
import { InvalidArgumentError, Option } from 'commander'
import type { StateExportParameters } from '../api/export-state.js'
import type { Hex } from '../bytes.js'
import { collectAddresses } from './logs-options.js'

/** Parsed values of {@link stateOptions}. */
export interface StateFlags {
  readonly contract?: readonly Hex[]
  readonly slot?: readonly Hex[]
  readonly callData?: readonly Hex[]
  readonly function?: readonly Hex[]
  readonly inputs?: readonly Hex[]
  readonly allHolders?: boolean
}

export function stateOptions(): Option[] {
  const state = (flags: string, description: string) =>
    new Option(flags, description).helpGroup(
      'States after blocks (balances, slots, erc20_balances, eth_calls, …):',
    )
  return [
    state(
      '--contract <address>',
      'token, or contract to call; --address means the same if nothing else needs it',
    ).argParser(collectAddresses),
    state('--slot <slot>', 'slot of the accounts, as hex of up to 32 bytes').argParser(
      collectHex(/^0x[0-9a-fA-F]{1,64}$/, '0x and 1 to 64 hex digits'),
    ),
    state('--all-holders', 'erc20_balances of all addresses in the Transfer logs of the token'),
    state('--call-data <hex>', 'input of eth_calls')
      .argParser(collectHex(/^0x([0-9a-fA-F]{2})*$/, '0x and an even number of hex digits'))
      .conflicts(['function', 'inputs']),
    state('--function <selector>', 'the first four bytes of that input, instead of all').argParser(
      collectHex(/^0x[0-9a-fA-F]{8}$/, '0x and 8 hex digits'),
    ),
    state('--inputs <hex>', 'with --function: the bytes after it; each function gets each of them').argParser(
      collectHex(/^0x([0-9a-fA-F]{2})*$/, '0x and an even number of hex digits'),
    ),
  ]
}

/** The arguments of `chain.export` for these options. Throws TypeError for inputs without a function. */
export function stateParameters(flags: StateFlags): StateExportParameters {
  const { contract, slot, allHolders, inputs = ['0x'] } = flags
  if (flags.inputs && !flags.function) throw new TypeError('--inputs: expected --function with it')
  const callData =
    flags.callData ??
    flags.function?.flatMap((selector) => inputs.map((input): Hex => `${selector}${input.slice(2)}`))
  return {
    ...(contract && { contract }),
    ...(slot && { slot }),
    ...(callData && { callData }),
    ...(allHolders && { allHolders }),
  }
}

/** Adds the values of an option, separated by commas, to those before. */
function collectHex(pattern: RegExp, expected: string) {
  return (text: string, before: readonly Hex[] | undefined): Hex[] => {
    const values = text.split(',').map((value) => value.trim())
    const wrong = values.find((value) => !pattern.test(value))
    if (wrong !== undefined)
      throw new InvalidArgumentError(`expected ${expected}, got ${JSON.stringify(wrong)}`)
    return [...(before ?? []), ...(values as Hex[])]
  }
}
