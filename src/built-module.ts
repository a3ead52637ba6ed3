// Where a thread finds a module.

/**
 * URL of a module for a thread to load, by its path beside the file that asks. Threads cannot load TypeScript, so sources
 * under test name the module of the build.
 */
export function builtModule(path: string, importer: string): URL {
  const { href } = new URL(path, importer)
  if (!importer.endsWith('.ts')) return new URL(href)
  const root = href.lastIndexOf('/src/')
  return new URL(`${href.slice(0, root)}/dist/${href.slice(root + '/src/'.length)}`)
}
