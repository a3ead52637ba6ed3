// Directories whose old bodies and receipts have been pruned.

package main

import (
	"path/filepath"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
)

// pruned drops bodies and receipts as geth prune-history does with --history.chain postmerge.
func pruned(m *maker) error {
	if err := m.begin(324); err != nil {
		return err
	}
	if err := m.finalize(324, 300, 280); err != nil {
		return err
	}
	if err := m.pruneHistory(m.forks.merge); err != nil {
		return err
	}
	// geth drops the lookups of the lost transactions at its next start
	if err := m.indexLogs(); err != nil {
		return err
	}
	return m.finish(325)
}

// postPrague does the same with --history.chain postprague, to a directory of states as bufferedPath leaves them.
func postPrague(m *maker) error {
	if err := m.bufferStates(); err != nil {
		return err
	}
	if err := m.pruneHistory(m.forks.prague); err != nil {
		return err
	}
	return m.finish(281)
}

// pruneHistory drops the bodies and receipts below a block, and the lookups of their transactions, with the code of geth, whose
// own command for that knows only public networks and chains of more than 90,000 blocks.
func (m *maker) pruneHistory(cutoff uint64) error {
	db, err := m.openDatabase()
	if err != nil {
		return err
	}
	rawdb.PruneTransactionIndex(db, cutoff)
	_, err = db.TruncateTail(rawdb.ChainFreezerBlockDataGroup, cutoff)
	if closed := db.Close(); err == nil {
		err = closed
	}
	return err
}

// openDatabase opens the store and the freezer of the directory with the code of geth.
func (m *maker) openDatabase() (ethdb.Database, error) {
	chaindata := filepath.Join(m.dir, "geth", "chaindata")
	store, err := openStore(chaindata)
	if err != nil {
		return nil, err
	}
	return rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(chaindata, "ancient")})
}
