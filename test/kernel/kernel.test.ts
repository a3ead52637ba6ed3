import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createKernel } from '../../src/kernel/kernel.js'

describe('createKernel', () => {
  it('gives each kernel a memory of its own', () => {
    const [first, second] = [createKernel(), createKernel()]
    first.reserve(1)[first.arena] = 1
    second.reserve(1)[second.arena] = 2
    expect(first.reserve(1)[first.arena]).toBe(1)
  })

  it('keeps what the arena holds while it grows', () => {
    const { arena, reserve } = createKernel()
    reserve(1)[arena] = 0xaa
    const grown = reserve(5_000_000)
    expect(grown.length).toBeGreaterThanOrEqual(arena + 5_000_000)
    expect(grown[arena]).toBe(0xaa)
    expect(reserve(10)).toBe(grown)
  })

  it('refuses more than WebAssembly can address', () => {
    expect(() => createKernel().reserve(2 ** 32)).toThrow(RangeError)
  })

  it('loads if code from strings is forbidden', () => {
    const script = `
      import { kernelWasm } from ${JSON.stringify(new URL('../../src/kernel/kernel-wasm.js', import.meta.url).href)}
      new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(kernelWasm, 'base64')))
      try { eval('1') } catch (error) { console.log(error.name) }
    `
    const options = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).toBe('EvalError\n')
  })
})
