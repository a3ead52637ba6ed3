// Views that answer only what a test gives them, counted.
import type { Chain } from '../../src/chain/chain.js'
import type { ViewSource } from '../../src/datadir/ask.js'
import type { ChainView } from '../../src/datadir/chain-view.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import type { RequestContext } from '../../src/rpc/request-scope.js'
import { recordedConfig } from '../types/geth-records.js'

export interface FakeBackend extends ViewSource {
  /** Views that were given out and not disposed yet. */
  readonly openViews: number
}

/** Members of a view and of its chain. */
export type FakeMembers = Partial<
  Omit<ChainView, typeof Symbol.dispose | 'chain' | 'snapshot'> &
    Omit<Chain, keyof ChainView> & { readonly snapshot: object }
>

/** Backend over some members of a view; asking for another one throws. */
export function fakeBackend(members: FakeMembers = {}): FakeBackend {
  let openViews = 0
  const view: ChainView = new Proxy(
    { config: recordedConfig, historyCutoff: 0, restore: async () => false, ...members } as never,
    {
      get(target: object, key) {
        if (key === Symbol.dispose) return () => openViews--
        if (key === 'chain') return view
        if (key in target) return target[key as never]
        return () => {
          throw new Error(`the test gave the view no ${String(key)}`)
        }
      },
    },
  ) as ChainView
  return {
    get openViews() {
      return openViews
    },
    view() {
      openViews++
      return view
    },
    refresh: async () => false,
  }
}

/** A patient client on HTTP with the default limits. */
export const patientContext: RequestContext = {
  limits: defaultLimits,
  timeoutMilliseconds: 0,
  duplex: false,
}
