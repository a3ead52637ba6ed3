// Sizes as people read them.
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A number of bytes in the largest unit that fits, such as `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}
