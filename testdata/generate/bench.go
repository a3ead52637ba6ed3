// The bench profile: a chain large enough to time queries on, imported by the newest geth. It is never committed.

package main

import (
	"bufio"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/triedb"
)

const (
	benchTransactions = 40  // in each block
	benchChunk        = 500 // blocks that are in memory at once
	benchAccounts     = 256 // that send
	mediumTokens      = 50
	mediumTransfers   = 14 // in each block, so that each medium token is in about a quarter of the blocks
	// holders of the tokens at genesis, so that their storage tries are deep from the first block on
	popularHolders = 50_000
	mediumHolders  = 1_000
	// receivers are more than the holders: the tries grow
	receivers = 150_000
	rareEvery = 2_000
	// rareBlock of each rareEvery blocks has the event that nothing else has
	rareBlock = 1_234
)

// The bench chain's contracts, placed at genesis.
var (
	popularToken = bystander(1_000_000)
	mediumToken  = func(i int) common.Address { return bystander(1_000_001 + i) }
	benchLogger  = bystander(1_000_100)
	benchBurst   = bystander(1_000_101)
	benchBox     = bystander(1_000_102)
)

// produceBench writes DIR/data, as a node leaves it: frozen up to the finalized block, the log index complete.
func produceBench(gethDir, out string, length int) error {
	binary, err := installGeth(gethDir, newestGeth)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	c := newBenchChain()
	m := &maker{chain: c, work: out, genesis: filepath.Join(out, "genesis.json"), newest: binary,
		node: node{binary: binary, dir: filepath.Join(out, "data"), engine: "leveldb", scheme: "hash", archive: true,
			extra: []string{"--cache", "1024"}}}
	file := filepath.Join(out, "blocks.rlp")
	defer os.Remove(file)
	if err := timed("generating", func() error { return m.generateBench(file, length) }); err != nil {
		return err
	}
	if err := m.writeGenesis(); err != nil {
		return err
	}
	if err := m.init(m.genesis); err != nil {
		return err
	}
	if err := timed("importing", func() error { return m.importBlocks(file) }); err != nil {
		return err
	}
	return timed("freezing and indexing", func() error { return m.settle(uint64(length)) })
}

// timed runs a step and tells how long it took.
func timed(what string, step func() error) error {
	started := time.Now()
	if err := step(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	fmt.Printf("%s: %s\n", what, time.Since(started).Round(time.Second))
	return nil
}

func newBenchChain() *chain {
	c := newChain("bench", forkSchedule{
		homestead: 1, tangerine: 1, spurious: 1, byzantium: 1, constantinople: 1, petersburg: 1, istanbul: 1, muirGlacier: 1,
		berlin: 1, london: 1, arrowGlacier: 1, grayGlacier: 1, merge: 1, shanghai: 1, cancun: 1, prague: 1,
	})
	c.accounts = nil
	for i := range benchAccounts {
		c.accounts = append(c.accounts, newAccount(fmt.Sprintf("bench %d", i)))
	}
	c.genesis = newGenesis(c.forks, c.accounts)
	c.genesis.GasLimit = 30_000_000
	place := func(address common.Address, code []byte, holders int) {
		storage := map[common.Hash]common.Hash{}
		slot := func(holder common.Address, balance int64) {
			storage[mapSlot(holder[:], nil)] = common.BigToHash(big.NewInt(balance))
		}
		for i := range holders {
			slot(bystander(i), int64(i+1))
		}
		if holders > 0 {
			for _, a := range c.accounts {
				slot(a.address, ether)
			}
		}
		c.genesis.Alloc[address] = types.Account{Code: code, Balance: new(big.Int), Nonce: 1, Storage: storage}
	}
	place(popularToken, tokenCode("Popular", "POP"), popularHolders)
	for i := range mediumTokens {
		place(mediumToken(i), tokenCode("Medium", fmt.Sprintf("M%d", i)), mediumHolders)
	}
	place(benchLogger, loggerCode(), 0)
	place(benchBurst, burstCode(), 0)
	place(benchBox, boxCode(), 0)
	return c
}

// generateBench writes the blocks to a file chunk by chunk; the last one is all that stays in c.blocks.
func (m *maker) generateBench(file string, length int) error {
	c := m.chain
	scratch := filepath.Join(m.work, "generating")
	defer os.RemoveAll(scratch)
	store, err := pebble.New(scratch, 512, 64, "", false)
	if err != nil {
		return err
	}
	defer store.Close()
	db := rawdb.NewDatabase(store)
	tries := triedb.NewDatabase(db, triedb.HashDefaults)
	parent, err := c.genesis.Commit(db, tries, nil)
	if err != nil {
		return err
	}
	if err := tries.Close(); err != nil {
		return err
	}
	target, err := os.Create(file)
	if err != nil {
		return err
	}
	defer target.Close()
	writer := bufio.NewWriterSize(target, 1<<20)
	random := rand.New(rand.NewSource(5))
	engine := beacon.New(ethash.NewFaker())
	for first := 1; first <= length; first += benchChunk {
		blocks, _ := core.GenerateChain(c.genesis.Config, parent, engine, db, min(benchChunk, length-first+1),
			func(i int, b *core.BlockGen) {
				m := &blockMaker{BlockGen: b, chain: c, random: random, header: headerOf(b), number: uint64(first + i)}
				m.prepare()
				m.traffic()
			})
		for _, block := range blocks {
			if err := block.EncodeRLP(writer); err != nil {
				return err
			}
		}
		parent = blocks[len(blocks)-1]
		c.blocks = blocks
	}
	c.genesis.Config.TerminalTotalDifficulty = c.genesis.Difficulty
	return writer.Flush()
}

// traffic fills a block of the bench chain.
func (m *blockMaker) traffic() {
	popular := 0
	if m.random.Intn(20) > 0 {
		popular = 6 + m.random.Intn(12)
	}
	send := func(address common.Address, data []byte) {
		kind := dynamicFee
		if m.random.Intn(4) == 0 {
			kind = protected
		}
		m.send("", kind, m.anyAccount(), call{to: &address, gas: 150_000, data: data})
	}
	receiver := func() common.Address { return bystander(m.random.Intn(receivers)) }
	for i := range benchTransactions {
		switch {
		case i == 0 && m.number%rareEvery == rareBlock:
			send(benchLogger, logData([]byte("rare"), eventTopic("Rare(uint256)"), common.BigToHash(new(big.Int).SetUint64(m.number))))
		case i < popular:
			send(popularToken, tokenTransfer(receiver(), m.random.Intn(1_000_000)))
		case i < popular+mediumTransfers:
			send(mediumToken(m.random.Intn(mediumTokens)), tokenTransfer(receiver(), m.random.Intn(1_000_000)))
		default:
			m.various(send, receiver)
		}
	}
}

// various adds what is no transfer of a token: money, events of other kinds, storage.
func (m *blockMaker) various(send func(common.Address, []byte), receiver func() common.Address) {
	switch m.random.Intn(8) {
	case 0, 1, 2:
		m.send("", dynamicFee, m.anyAccount(), call{to: to(receiver()), gas: 21_000, value: big.NewInt(m.random.Int63n(gwei))})
	case 3:
		data := make([]byte, 32*(1+m.random.Intn(4)))
		m.random.Read(data)
		send(benchLogger, logData(data, eventTopic("Swap(address,bytes32)"), m.hash()))
	case 4:
		send(benchBurst, join(word(2+m.random.Intn(8)), eventTopic("Step(uint256)").Bytes()))
	case 5:
		to := mediumToken(m.random.Intn(mediumTokens))
		send(to, join(selector("approve(address,uint256)"), word(receiver()), word(m.random.Intn(1_000_000))))
	default:
		send(benchBox, join(word(m.random.Intn(200_000)), word(1+m.random.Intn(1<<30))))
	}
}

// settle sets safe and finalized blocks and runs geth until it has frozen and indexed everything.
func (m *maker) settle(head uint64) error {
	finalized := head - 64
	r, err := m.start()
	if err != nil {
		return err
	}
	hash := func(number uint64) common.Hash { return m.blocks[len(m.blocks)-1-int(head-number)].Hash() }
	if err := r.forkchoice(hash(head), hash(head-32), hash(finalized)); err != nil {
		r.kill()
		return err
	}
	if err := r.stop(); err != nil {
		return err
	}
	// geth starts its log index over where it is stopped before the first maps are written
	for wait := 20 * time.Second; wait < 20*time.Minute; wait *= 2 {
		if r, err = m.start(); err != nil {
			return err
		}
		time.Sleep(wait)
		if err := r.stop(); err != nil {
			return err
		}
		index, err := m.logIndexInPlace()
		if err != nil {
			return err
		}
		if m.frozen() > finalized && index != nil && index.HeadIndexed && index.FirstBlock == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d blocks are frozen, and the log index is not complete", m.frozen())
}

// logIndexInPlace reads how far the log index reaches from the directory itself, which is too large to copy.
func (m *maker) logIndexInPlace() (*logIndexFacts, error) {
	store, err := openStore(filepath.Join(m.dir, "geth", "chaindata"))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return logIndexOf(store)
}
