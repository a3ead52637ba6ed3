// node build/native-addon.mjs [FOLDER]: compiles src/kernel/native/*.c with libsecp256k1 and blst into src/kernel/native/prebuilt/.
// The result is committed, so that a build needs no compiler; the same sources and tools give the same bytes. Needs Python with pip:
// zig, a C compiler for all platforms, and the sources of the libraries are packages of PyPI.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const own = [
  'addon.c',
  'bls12381.c',
  'bn254.c',
  'keccak-lanes.c',
  'odd-power.c',
  'openssl.c',
  'read-block.c',
  'recover-lanes.c',
].map((name) => join(root, 'src/kernel/native', name))
const headers = join(root, 'node_modules/node-api-headers/include')
const output = resolve(process.argv[2] ?? join(root, 'src/kernel/native/prebuilt'))

/** Our name of each platform and zig's. The addon uses no C library; the one of the name only has headers for it. */
const targets = { 'linux-x64': 'x86_64-linux-musl' }

/**
 * electrum-ecc has the sources of libsecp256k1 0.8.0, and ckzg, of the Ethereum Foundation, those of blst 0.3.16. The hashes are those of
 * source archives and of zig for Linux on x64.
 */
const requirements = `ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
electrum-ecc==0.0.8 --hash=sha256:94869a77de28ee79b7f7e974af5c20b392b949905880a8b26504e28202644106
ckzg==2.1.8 --hash=sha256:d7bef6b425dca6995457fc59fc5b30211d9b28cbbeee0e7a7bef1372e13f29ca
`

const options = [
  '-O3 -mcpu=baseline -fPIC -fno-stack-protector -fvisibility=hidden -ffunction-sections -fdata-sections',
  '-DUSE_EXTERNAL_DEFAULT_CALLBACKS -DSECP256K1_NO_API_VISIBILITY_ATTRIBUTES -DENABLE_MODULE_RECOVERY',
  // The table of multiples of G has 32 KiB. One of 1 MiB is no faster (2026-11-24).
  '-DECMULT_WINDOW_SIZE=10 -DECMULT_GEN_KB=2 -DNAPI_VERSION=8',
  // blst chooses its instructions for the processor that it runs on.
  '-D__BLST_PORTABLE__',
].flatMap((line) => line.split(' '))

const scratch = mkdtempSync(join(tmpdir(), 'native-addon-'))
const run = (program, values) => execFileSync(program, values, { cwd: scratch, stdio: 'inherit' })
try {
  writeFileSync(join(scratch, 'requirements.txt'), requirements)
  const download =
    'download --quiet --no-deps --no-binary electrum-ecc,ckzg --require-hashes -r requirements.txt'
  run('python3', ['-m', 'pip', ...download.split(' ')])
  const [wheel, ecc, ckzg] = [/\.whl$/, /^electrum.*\.tar\.gz$/, /^ckzg.*\.tar\.gz$/].map((name) =>
    readdirSync(scratch).find((file) => name.test(file)),
  )
  run('python3', ['-m', 'zipfile', '-e', wheel, 'zig'])
  for (const archive of [ecc, ckzg]) run('tar', ['xzf', archive])
  const zig = join(scratch, 'zig/ziglang/zig')
  chmodSync(zig, 0o755) // zipfile loses the permissions.
  const library = ecc.replace('.tar.gz', '/libsecp256k1')
  const blst = ckzg.replace('.tar.gz', '/blst')

  mkdirSync(output, { recursive: true })
  copyFileSync(join(scratch, library, 'COPYING'), join(output, 'libsecp256k1-LICENSE'))
  copyFileSync(join(scratch, blst, 'LICENSE'), join(output, 'blst-LICENSE'))
  for (const [platform, target] of Object.entries(targets)) {
    const folders = [`${library}/include`, `${library}/src`, `${blst}/bindings`, headers].map(
      (path) => `-I${path}`,
    )
    const sources = [
      ...own,
      // recover-lanes.c includes secp256k1.c.
      ...['precomputed_ecmult', 'precomputed_ecmult_gen'].map((name) => `${library}/src/${name}.c`),
      ...['src/server.c', 'build/assembly.S'].map((name) => `${blst}/${name}`),
    ]
    const objects = sources.map((source) => `${platform}-${basename(source).replace(/\.\w+$/, '')}.o`)
    for (const [i, source] of sources.entries())
      run(zig, ['cc', '-target', target, ...options, ...folders, '-c', source, '-o', objects[i]])
    const link = ['-nostdlib', '-shared', '-Wl,--gc-sections', '-Wl,-s']
    run(zig, ['cc', '-target', target, ...link, ...objects, '-o', `${platform}.node`])
    copyFileSync(join(scratch, `${platform}.node`), join(output, `${platform}.node`))
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
