// Open handles of a fixture for as long as a test works with them.
import { locateDatadir } from '../../src/datadir/locate.js'
import { type ChainFolders, type ChainHandles, openChainHandles } from '../../src/view/chain-handles.js'
import { unpackFixture } from '../fixtures.js'

/** Unpacks a fixture, opens it, and closes and removes it behind the work. */
export async function withHandles(
  name: string,
  work: (handles: ChainHandles, folders: ChainFolders) => Promise<void>,
): Promise<void> {
  await using fixture = await unpackFixture(name)
  const folders = locateDatadir(fixture.path)
  const handles = await openChainHandles(folders, {})
  try {
    await work(handles, folders)
  } finally {
    await handles.close()
  }
}
