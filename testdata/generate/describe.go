// CHAIN.json: what tests need to know about a chain.

package main

import (
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
)

// place says where a named transaction stands; the block of one in the losing branch is marked as such.
type place struct {
	Hash  common.Hash `json:"hash"`
	Block uint64      `json:"block"`
	Index int         `json:"index"`
	Side  bool        `json:"side,omitempty"`
}

// writeDescription writes CHAIN.json: forks, contracts, accounts and the named transactions, for tests to use.
func (c *chain) writeDescription(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	places := map[common.Hash]place{}
	for _, block := range c.blocks {
		for i, tx := range block.Transactions() {
			places[tx.Hash()] = place{tx.Hash(), block.NumberU64(), i, false}
		}
	}
	for _, block := range c.side {
		for i, tx := range block.Transactions() {
			places[tx.Hash()] = place{tx.Hash(), block.NumberU64(), i, true}
		}
	}
	transactions := map[string]place{}
	for name, hash := range c.notable {
		transactions[name] = places[hash]
	}
	var accounts []common.Address
	for _, a := range c.accounts {
		accounts = append(accounts, a.address)
	}
	var side []blockFacts
	for _, block := range c.side {
		side = append(side, factsOf(block))
	}
	var probeNames []string
	for _, p := range probes {
		probeNames = append(probeNames, p.name)
	}
	return writeJSON(filepath.Join(dir, c.name+".json"), map[string]any{
		"name":         c.name,
		"config":       c.genesis.Config,
		"genesis":      c.genesis.ToBlock().Hash(),
		"head":         factsOf(c.blocks[len(c.blocks)-1]),
		"forks":        c.forks.byName(),
		"accounts":     accounts,
		"genesisBox":   genesisBox,
		"contracts":    c.contracts,
		"probes":       probeNames,
		"transactions": transactions,
		"side":         side,
	})
}

// byName gives the first block of each fork.
func (s forkSchedule) byName() map[string]uint64 {
	forks := map[string]uint64{
		"homestead": s.homestead, "tangerine": s.tangerine, "spurious": s.spurious, "byzantium": s.byzantium,
		"constantinople": s.constantinople, "petersburg": s.petersburg, "istanbul": s.istanbul, "muirGlacier": s.muirGlacier,
		"berlin": s.berlin, "london": s.london, "arrowGlacier": s.arrowGlacier, "grayGlacier": s.grayGlacier, "merge": s.merge,
		"shanghai": s.shanghai, "cancun": s.cancun, "prague": s.prague, "osaka": s.osaka, "bpo1": s.bpo1, "bpo2": s.bpo2,
	}
	for name, block := range forks {
		if block == 0 {
			delete(forks, name)
		}
	}
	return forks
}
