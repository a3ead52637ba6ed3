package main

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/ethdb"
	"math/rand"
)

func newChain(name string, forks forkSchedule) *chain {
	c := &chain{name: name, forks: forks, contracts: map[string]common.Address{}, notable: map[string]common.Hash{}}
	for _, n := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"} {
		c.accounts = append(c.accounts, newAccount(n))
	}
	c.genesis = newGenesis(forks, c.accounts)
	return c
}

// richChain has every fork up to the second blob-parameter fork, with all that geth can be asked about.
func richChain() *chain {
	c := newChain("rich", forkSchedule{
		homestead: 10, tangerine: 20, spurious: 30, byzantium: 40, constantinople: 50, petersburg: 55, istanbul: 65,
		muirGlacier: 70, berlin: 80, london: 95, arrowGlacier: 100, grayGlacier: 105, merge: 115, shanghai: 130,
		cancun: 165, prague: 195, osaka: 235, bpo1: 260, bpo2: 285,
	})
	db := c.makeBlocks(340, 1, script)
	c.makeSide(db, 333, 2)
	return c
}

// shanghaiChain ends under the rules of Shanghai, for releases of geth that know no more.
func shanghaiChain() *chain {
	c := newChain("shanghai", forkSchedule{
		homestead: 10, tangerine: 20, spurious: 30, byzantium: 40, constantinople: 50, petersburg: 55, istanbul: 65,
		muirGlacier: 70, berlin: 80, london: 95, arrowGlacier: 100, grayGlacier: 105, merge: 115, shanghai: 130,
	})
	db := c.makeBlocks(220, 2, script)
	c.makeSide(db, 213, 2)
	return c
}

// makeSide generates a losing branch whose first block has the given number.
func (c *chain) makeSide(db ethdb.Database, number uint64, length int) {
	random := rand.New(rand.NewSource(int64(number)))
	c.sideAt = number
	c.side, _ = core.GenerateChain(c.genesis.Config, c.blocks[number-2], beacon.New(ethash.NewFaker()), db, length,
		func(i int, b *core.BlockGen) {
			m := &blockMaker{BlockGen: b, chain: c, random: random, header: headerOf(b), number: number + uint64(i)}
			m.prepare()
			names := []string{"side-transfer", "side-log"}
			if i < len(names) {
				m.send(names[i], dynamicFee, c.accounts[i], []call{
					{to: to(bystander(9)), gas: 30_000, value: big.NewInt(1)},
					{to: to(c.contracts["logger"]), gas: 90_000, data: logData([]byte("side"), pingTopic)},
				}[i])
			}
		})
}
