// Views that answer only what a test gives them, counted.
import type { ViewSource } from '../../src/datadir/ask.js'
import type { ChainView } from '../../src/datadir/chain-view.js'
import { defaultLimits } from '../../src/rpc/limits.js'
import type { RequestContext } from '../../src/rpc/request-scope.js'
import { recordedConfig } from '../types/geth-records.js'

export interface FakeBackend extends ViewSource {
  /** Views that were given out and not disposed yet. */
  readonly openViews: number
}

/** Backend over some members of a view; asking for another one throws. */
export function fakeBackend(members: Partial<Omit<ChainView, typeof Symbol.dispose>> = {}): FakeBackend {
  let openViews = 0
  const view = new Proxy(
    { config: recordedConfig, historyCutoff: 0, restore: async () => false, ...members } as ChainView,
    {
      get(target, key) {
        if (key === Symbol.dispose) return () => openViews--
        if (key in target) return target[key as keyof ChainView]
        return () => {
          throw new Error(`the test gave the view no ${String(key)}`)
        }
      },
    },
  )
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
