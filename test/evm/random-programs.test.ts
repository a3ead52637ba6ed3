import { expect, test } from 'vitest'
import { generateCase, runCase } from './fuzz-case.js'

// A sample of npm run fuzz:evm.
test('random programs end alike on both engines, gas, logs and state included', async () => {
  for (let run = 0; run < 40; run++) {
    const { builtin, ethereumjs } = await runCase(generateCase(2026, run))
    expect(builtin, `seed 2026 run ${run}`).toBe(ethereumjs)
  }
})
