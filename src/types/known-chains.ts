// The networks that geth knows by their genesis block, and their chain configs. Follows params/config.go of geth 1.17.5.
import { bytesToHex, type Hex } from '../bytes.js'

/** A network, as geth knows it whatever the config in its directory says. */
export interface KnownChain {
  /** The first part of the names of its era files. */
  readonly name: string
  readonly genesisHash: Hex
  /** JSON, as geth stores it. */
  readonly config: string
}

/** Blob schedule of all these networks. */
const blobSchedule = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
}

/** Forks until London of networks that began with them. */
const earlyForks = {
  homesteadBlock: 0,
  daoForkSupport: true,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
}

const knownChains: readonly KnownChain[] = [
  {
    name: 'mainnet',
    genesisHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    config: JSON.stringify({
      chainId: 1,
      homesteadBlock: 1_150_000,
      daoForkBlock: 1_920_000,
      daoForkSupport: true,
      eip150Block: 2_463_000,
      eip155Block: 2_675_000,
      eip158Block: 2_675_000,
      byzantiumBlock: 4_370_000,
      constantinopleBlock: 7_280_000,
      petersburgBlock: 7_280_000,
      istanbulBlock: 9_069_000,
      muirGlacierBlock: 9_200_000,
      berlinBlock: 12_244_000,
      londonBlock: 12_965_000,
      arrowGlacierBlock: 13_773_000,
      grayGlacierBlock: 15_050_000,
      shanghaiTime: 1_681_338_455,
      cancunTime: 1_710_338_135,
      pragueTime: 1_746_612_311,
      osakaTime: 1_764_798_551,
      bpo1Time: 1_765_290_071,
      bpo2Time: 1_767_747_671,
      // 58,750,000,000,000,000,000,000 does not fit a number; the parser takes a string of digits, too.
      terminalTotalDifficulty: '58750000000000000000000',
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
      ethash: {},
      blobSchedule,
    }),
  },
  {
    name: 'sepolia',
    genesisHash: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
    config: JSON.stringify({
      chainId: 11_155_111,
      ...earlyForks,
      muirGlacierBlock: 0,
      mergeNetsplitBlock: 1_735_371,
      shanghaiTime: 1_677_557_088,
      cancunTime: 1_706_655_072,
      pragueTime: 1_741_159_776,
      osakaTime: 1_760_427_360,
      bpo1Time: 1_761_017_184,
      bpo2Time: 1_761_607_008,
      terminalTotalDifficulty: '17000000000000000',
      depositContractAddress: '0x7f02c3e3c98b133055b8b348b2ac625669ed295d',
      ethash: {},
      blobSchedule,
    }),
  },
  {
    name: 'holesky',
    genesisHash: '0xb5f7f912443c940f21fd611f12828d75b534364ed9e95ca4e307729a4661bde4',
    config: JSON.stringify({
      chainId: 17_000,
      ...earlyForks,
      shanghaiTime: 1_696_000_704,
      cancunTime: 1_707_305_664,
      pragueTime: 1_740_434_112,
      osakaTime: 1_759_308_480,
      bpo1Time: 1_759_800_000,
      bpo2Time: 1_760_389_824,
      terminalTotalDifficulty: 0,
      depositContractAddress: '0x4242424242424242424242424242424242424242',
      ethash: {},
      blobSchedule,
    }),
  },
  {
    name: 'hoodi',
    genesisHash: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
    config: JSON.stringify({
      chainId: 560_048,
      ...earlyForks,
      muirGlacierBlock: 0,
      mergeNetsplitBlock: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 1_742_999_832,
      osakaTime: 1_761_677_592,
      bpo1Time: 1_762_365_720,
      bpo2Time: 1_762_955_544,
      terminalTotalDifficulty: 0,
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
      ethash: {},
      blobSchedule,
    }),
  },
]

/** The network with this genesis block; undefined if geth does not know it. */
export function knownChainOf(genesisHash: Uint8Array): KnownChain | undefined {
  const hex = bytesToHex(genesisHash)
  return knownChains.find((chain) => chain.genesisHash === hex)
}

/** The network whose era files have this name; undefined if geth does not know it. */
export function knownChainNamed(name: string): KnownChain | undefined {
  return knownChains.find((chain) => chain.name === name)
}
