// What the steps of a block's execution share.
import type { ChainConfig } from '../../types/chain-config.js'
import type { ForkRules } from '../../types/fork-rules.js'
import type { BlockContext } from '../block-context.js'
import type { OwnThread } from '../own-thread.js'
import type { BlockState } from './block-state.js'

/** A block under way. */
export interface BlockExecution {
  readonly config: ChainConfig
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly state: BlockState
  readonly thread: OwnThread
  readonly checkTime: () => void
}
