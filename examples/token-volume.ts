// Volume of an ERC-20 token by day: a CSV file, and a bar chart as SVG.
// node token-volume.ts ~/.ethereum 0xdAC17F958D2ee523a2206206994597C13D831ec7 6
import { writeFileSync } from 'node:fs'
import { type Hex, openDatadir } from 'geth-reader'

const [datadir, token, decimals = '18'] = process.argv.slice(2)
if (datadir === undefined || token === undefined) {
  console.error('usage: node token-volume.ts DATADIR TOKEN [DECIMALS]')
  process.exit(2)
}

interface Day {
  transfers: number
  /** In the token's smallest unit. */
  amount: bigint
}

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const days = new Map<string, Day>()
const chain = await openDatadir(datadir)
for await (const batch of chain.scanLogs({ address: token as Hex, topics: [transfer] })) {
  for (const { blockTimestamp, data, topics } of batch) {
    // Transfers of ERC-721 have four topics and no data.
    if (topics.length !== 3 || data === '0x') continue
    const date = new Date(Number(blockTimestamp) * 1_000).toISOString().slice(0, 10)
    const day = days.get(date) ?? { transfers: 0, amount: 0n }
    days.set(date, day)
    day.transfers++
    day.amount += BigInt(data)
  }
}
await chain.close()

const unit = 10 ** Number(decimals)
const rows = [...days].map(([date, { transfers, amount }]) => ({
  date,
  transfers,
  volume: Number(amount) / unit,
}))
const csv = rows.map(({ date, transfers, volume }) => `${date},${transfers},${volume}`)
writeFileSync('volume.csv', `${['date,transfers,volume', ...csv].join('\n')}\n`)

const height = 240
const highest = Math.max(...rows.map(({ volume }) => volume), Number.MIN_VALUE)
const bars = rows.map(({ date, volume }, i) => {
  const bar = (volume / highest) * height
  return `<rect x="${i * 12}" y="${height - bar}" width="10" height="${bar}"><title>${date}: ${volume}</title></rect>`
})
const size = `viewBox="0 0 ${Math.max(rows.length, 1) * 12} ${height}"`
writeFileSync(
  'volume.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" ${size} fill="#4361ee">${bars.join('')}</svg>\n`,
)
console.log(`${rows.length} days in volume.csv and volume.svg`)
