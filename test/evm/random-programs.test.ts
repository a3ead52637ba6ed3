import { expect, test } from 'vitest'
import { generateCase, runCase } from './fuzz-case.js'

// A sample of npm run fuzz:evm.
test('random programs end with the same output, gas, logs and state on both engines', async () => {
  for (let run = 0; run < 40; run++) {
    const { builtin, ethereumjs } = await runCase(generateCase(2026, run))
    expect(builtin, `seed 2026 run ${run}`).toBe(ethereumjs)
  }
})
