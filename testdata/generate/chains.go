// The chains: which forks start where, how long they are, which branch loses.

package main

import (
	"fmt"
	"math/big"
	"math/rand"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/ethdb"
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

// logsChain has enough log values (addresses and topics) for three maps of geth's log index, of 65,536 each: most in
// three blocks, between blocks with few or none.
func logsChain() *chain {
	forks := forkSchedule{
		homestead: 1, tangerine: 1, spurious: 1, byzantium: 1, constantinople: 1, petersburg: 1, istanbul: 1, muirGlacier: 1,
		berlin: 1, london: 1, arrowGlacier: 1, grayGlacier: 1, merge: 1, shanghai: 1, cancun: 1, prague: 1,
	}
	c := newChain("logs", forks)
	c.genesis.GasLimit = 20_000_000
	db := c.makeBlocks(80, 3, func(m *blockMaker) {
		a := c.accounts[0]
		switch m.number {
		case 1:
			m.deploy("token", dynamicFee, a, tokenCode("Fixture Token", "FIX"))
			m.deploy("logger", dynamicFee, a, loggerCode())
			m.deploy("box", dynamicFee, a, boxCode())
			m.deploy("failer", dynamicFee, a, failerCode())
			m.deploy("spray", dynamicFee, a, sprayCode())
		case 12, 32, 52:
			m.send(fmt.Sprintf("spray-%d", m.number), dynamicFee, a, call{to: to(c.contracts["spray"]), gas: 25_000_000,
				data: join(word(10_500), word(int(m.number)))})
		case 70:
			m.send("rare-event", dynamicFee, a, call{to: to(c.contracts["logger"]), gas: 90_000, data: logData([]byte("rare"), eventTopic("Rare()"))})
		default:
			for i := m.random.Intn(3); i > 0; i-- {
				m.ordinary()
			}
		}
	})
	c.makeSide(db, 75, 2)
	return c
}

// longChain is long enough for one section of the bloom bits that geth kept up to 1.15.5: 4,096 blocks with 256 on
// top. Most blocks are empty.
func longChain() *chain {
	c := newChain("long", forkSchedule{
		homestead: 1, tangerine: 1, spurious: 1, byzantium: 1, constantinople: 1, petersburg: 1, istanbul: 1, muirGlacier: 1,
		berlin: 1, london: 1, arrowGlacier: 1, grayGlacier: 1, merge: 1, shanghai: 1,
	})
	c.plain = true
	c.makeBlocks(4400, 4, func(m *blockMaker) {
		a := c.accounts[0]
		switch {
		case m.number == 1:
			m.deploy("token", dynamicFee, a, tokenCode("Fixture Token", "FIX"))
			m.deploy("logger", dynamicFee, a, loggerCode())
		case m.number%50 == 0:
			m.send("", dynamicFee, a, call{to: to(c.contracts["logger"]), gas: 90_000,
				data: logData(nil, pingTopic, common.BigToHash(new(big.Int).SetUint64(m.number%500)))})
		case m.number%97 == 0:
			m.send("", dynamicFee, a, call{to: to(c.contracts["token"]), gas: 90_000, data: tokenMint(bystander(int(m.number%4)), 1)})
		}
	})
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
