// Runs calls on the state after a block.
import { bytesToHex, type Hex } from '../bytes.js'
import { type Members, position } from '../check.js'
import type { Datadir } from '../datadir/datadir.js'
import { type CallOptions, callOptionMembers, callWaiter, viewCall } from './call-options.js'
import { blockMembers, callMembers, checkArguments } from './members.js'
import type { AccessListParameters, BlockParameters, CallParameters, CreatedAccessList } from './types.js'
import { toAccessList } from './viem-format.js'

const callAtBlockMembers = { ...callMembers, ...blockMembers }
const { blockOverrides: _, ...callWithoutBlockOverrides } = callAtBlockMembers
const accessListMembers: Members<AccessListParameters & BlockParameters> = {
  ...callWithoutBlockOverrides,
  nonce: true,
}

/** Output of a call; `data` is undefined if it returns nothing. */
export async function callAt(
  datadir: Datadir,
  parameters: CallParameters & BlockParameters,
  options: CallOptions,
): Promise<{ data: Hex | undefined }> {
  checkArguments([parameters, callAtBlockMembers], [options, callOptionMembers])
  return datadir.ask(async (view) => {
    const request = viewCall(view, parameters, options)
    const { output } = await view.runEvm('call', request, callWaiter(datadir, options))
    return { data: output.length > 0 ? bytesToHex(output) : undefined }
  })
}

/** The gas limit that a call needs, as geth estimates it. */
export async function estimateGasAt(
  datadir: Datadir,
  parameters: CallParameters & BlockParameters,
  options: CallOptions,
): Promise<bigint> {
  checkArguments([parameters, callAtBlockMembers], [options, callOptionMembers])
  return datadir.ask(async (view) =>
    view.runEvm('estimateGas', viewCall(view, parameters, options), callWaiter(datadir, options)),
  )
}

/** The accounts and slots that a call accesses. */
export async function accessListAt(
  datadir: Datadir,
  parameters: AccessListParameters & BlockParameters,
  options: CallOptions,
): Promise<CreatedAccessList> {
  checkArguments([parameters, accessListMembers], [options, callOptionMembers])
  return datadir.ask(async (view) => {
    const { nonce } = parameters
    const request = viewCall(view, parameters, options)
    const call = {
      ...request.call,
      ...(nonce !== undefined && { nonce: BigInt(position('nonce', nonce)) }),
    }
    return toAccessList(
      await view.runEvm('createAccessList', { ...request, call }, callWaiter(datadir, options)),
    )
  })
}
