// A worker for worker-pool.test.ts: ends its thread in the middle of the first tasks.
export function runTask({ input: { times, deaths } }) {
  if (Atomics.load(deaths, 0) < times) {
    Atomics.add(deaths, 0, 1)
    process.exit(1)
  }
  return { value: 'survived' }
}
