// Where a running program finds files of its package: modules that threads load, package.json, the operator's page.

/**
 * URL of a file, by its path from the root of the package. The code that asks may be in a bundle in another folder of dist, or
 * under test in src; threads cannot load TypeScript, so both name the files of the build.
 */
export function packageFile(path: string): URL {
  const root = /^.*\/(?=(?:dist|src)\/)/.exec(import.meta.url)?.[0]
  return new URL(path, root)
}
