// Compares stored records of blocks with the roots in their headers, after parts of them were used.
import type { BlockData } from '../chain/root-checks.js'
import { errorToPlain, GethReaderError, type PlainError } from '../errors.js'
import type { View } from './view.js'

/** How a check has ended: what damage it found, or that the record is not there. */
export type RootCheck = { readonly damage: PlainError } | 'passed' | 'absent'

/** Checks records one by one. Throws errors that say nothing about a record, such as VIEW_UNSTABLE. */
export function verifyRoots({ chain }: Pick<View, 'chain'>, records: readonly BlockData[]): RootCheck[] {
  return records.map((record) => {
    try {
      return chain.verify(record) ? 'passed' : 'absent'
    } catch (error) {
      if (!(error instanceof GethReaderError)) throw error
      if (error.code === 'HISTORY_PRUNED') return 'absent'
      if (error.code === 'DAMAGED') return { damage: errorToPlain(error) }
      throw error
    }
  })
}
