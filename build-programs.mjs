// Bundles what starts as a process or thread of its own, so that it loads a few files instead of hundreds. Its modules in dist are
// replaced; the library's modules stay single files.
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const dist = fileURLToPath(new URL('dist/', import.meta.url))

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

/** Packages that are bundled, so that nobody installs them: one of charts, of which a fifth is used. */
const bundled = /^(echarts|zrender|tslib)(\/|$)/

/** Replaces them by bundles, with what they share in dist/chunks. Other packages are not bundled. */
export async function bundlePrograms() {
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((program) => [program, `${dist}${program}.js`])),
    external: (id) => !/^[./]/.test(id) && !id.startsWith(dist) && !bundled.test(id),
    platform: 'node',
  })
  await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
  })
  await bundle.close()
}
