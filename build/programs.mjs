// Bundles what starts as a process or thread of its own, so that it loads a few files instead of hundreds. Its modules in dist are
// replaced; the library's modules stay single files.
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

/** Modules that programs and threads begin with, from dist. */
const programs = [
  'cli',
  'cli/serving-thread',
  'ethdb/classic-level/scan-thread',
  'report/draw-chart',
  'rpc/call-decoder',
  'sql/query-thread',
  'workers/worker',
]

/**
 * Packages of many modules of which little is used. Charts are no dependency of the package at all; the others are dependencies of
 * exactly one version.
 */
const bundled = /^(echarts|zrender|tslib|hyparquet|hyparquet-writer)(\/|$)/

/**
 * CommonJS packages, which bundles load by `require`: `import` reads the source of each of their files for the names of its exports,
 * which took a fifth of the start of a thread (2026-11-23).
 */
const required = new Set(['@bokuweb/zstd-wasm', 'commander', 'pino', 'piscina', 'ws'])

/** Loads the packages above by `require`. */
const requirePackages = {
  name: 'require-packages',
  resolveId: (id) => (required.has(id) ? { id: `\0${id}` } : undefined),
  async load(id) {
    const name = id.slice(1)
    if (id[0] !== '\0' || !required.has(name)) return undefined
    const names = Object.keys(await import(name)).filter(
      (key) => !['default', 'module.exports'].includes(key),
    )
    return [
      "import { createRequire } from 'node:module'",
      `const exported = createRequire(import.meta.url)('${name}')`,
      'export default exported',
      ...names.map((key) => `export const ${key} = /* @__PURE__ */ exported.${key}`),
    ].join('\n')
  },
}

/** Modules that begin what users wait for. */
const beginnings = ['cli/run', 'cli/serve', 'server/threads/primary', 'cli/serving-thread', 'workers/worker']

/**
 * Names one chunk for all modules that the same beginnings load at once. Without it, a service loads 72 chunks and not a dozen, which takes
 * a third longer (2026-11-26). What a beginning loads later, by `import()`, is left to the bundler.
 */
function chunkNames() {
  let loadedBy
  return (id, context) => {
    loadedBy ??= findLoaded((path) => context.getModuleInfo(path))
    return loadedBy.get(id)?.join('-')
  }
}

/** The beginnings that load each module at once, by the module's path. */
function findLoaded(getModuleInfo) {
  const loadedBy = new Map()
  for (const beginning of beginnings) {
    const paths = [`${dist}${beginning}.js`]
    const seen = new Set(paths)
    for (const path of paths) {
      if (!programs.some((program) => path === `${dist}${program}.js`)) {
        loadedBy.set(path, [...(loadedBy.get(path) ?? []), beginning.replace(/.*\//, '')])
      }
      for (const imported of getModuleInfo(path)?.importedIds ?? []) {
        if (!imported.startsWith(dist) || seen.has(imported)) continue
        seen.add(imported)
        paths.push(imported)
      }
    }
  }
  return loadedBy
}

function isExternal(id) {
  return !/^[./\0]/.test(id) && !id.startsWith(dist) && !bundled.test(id) && !required.has(id)
}

/** Replaces them by bundles, with what they share in dist/chunks. Other packages are not bundled. */
export async function bundlePrograms() {
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((program) => [program, `${dist}${program}.js`])),
    external: isExternal,
    plugins: [requirePackages],
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
  })
  await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // Lines and names stay, so that stack traces can be read.
    comments: false,
    codeSplitting: {
      groups: [
        ...[...required].map((id) => ({ test: new RegExp(`^\0${id}$`), name: id.replace(/.*\//, '') })),
        { name: chunkNames(), debugName: 'beginnings', includeDependenciesRecursively: false },
      ],
    },
  })
  await bundle.close()
}
