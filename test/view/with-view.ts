// Open view of a fixture for as long as a test works with them.
import { locateDatadir } from '../../src/datadir/locate.js'
import { type ChainFolders, openView, type View } from '../../src/view/view.js'
import { unpackFixture } from '../fixtures.js'

/** Unpacks a fixture, opens it, and closes and removes it behind the work. */
export async function withView(
  name: string,
  work: (view: View, folders: ChainFolders) => Promise<void>,
): Promise<void> {
  await using fixture = await unpackFixture(name)
  const folders = locateDatadir(fixture.path)
  const view = await openView(folders, {})
  try {
    await work(view, folders)
  } finally {
    await view.close()
  }
}
