// A directory that geth has synced with --history.chain postmerge, which it does for public networks only: the steps of its
// downloader for a snap sync (eth/downloader), with the merge of our chain as the block below which history is left out.

package main

import (
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
)

// syncedPostMerge has headers of all blocks, bodies and receipts from the merge on, and states from block 260 on, the pivot.
func syncedPostMerge(m *maker) error {
	const ancientLimit, pivot, head = 230, 260, 324
	if err := m.init(m.genesis); err != nil {
		return err
	}
	if err := m.snapSync(m.forks.merge, ancientLimit, pivot, head); err != nil {
		return err
	}
	if err := m.finalize(head, 300, 280); err != nil {
		return err
	}
	return m.finish(head + 1)
}

// snapSync brings a directory with a genesis block to a head.
func (m *maker) snapSync(cutoff, ancientLimit, pivot, head uint64) error {
	db, err := m.openDatabase()
	if err != nil {
		return err
	}
	defer db.Close()
	point := &history.PrunePoint{BlockNumber: cutoff, BlockHash: m.block(cutoff).Hash()}
	config := core.DefaultConfig().WithStateScheme(m.recipe.scheme)
	config.HistoryPolicy = history.HistoryPolicy{Mode: history.KeepPostMerge, Target: point}
	config.TrieJournalDirectory = filepath.Join(m.dir, "geth", "triedb")
	target, err := core.NewBlockChain(db, m.chain.genesis, beacon.New(ethash.NewFaker()), config)
	if err != nil {
		return err
	}
	defer target.Stop()
	headers := make([]*types.Header, cutoff-1)
	for i := range headers {
		headers[i] = m.blocks[i].Header()
	}
	if _, err := target.InsertHeadersBeforeCutoff(headers); err != nil {
		return err
	}
	if err := target.TrieDB().Disable(); err != nil {
		return err
	}
	receipts := types.EncodeBlockReceiptLists(m.chain.receipts)
	if _, err := target.InsertReceiptChain(m.blocks[cutoff-1:pivot], receipts[cutoff-1:pivot], ancientLimit); err != nil {
		return err
	}
	rawdb.WriteLastPivotNumber(db, pivot)
	if err := m.downloadState(db, pivot); err != nil {
		return err
	}
	if err := target.SnapSyncComplete(m.block(pivot).Hash(), false); err != nil {
		return err
	}
	_, err = target.InsertChain(m.blocks[pivot:head])
	return err
}

// downloadState replaces the state of a store in the path scheme with the one after a block. It writes the trie nodes and the code;
// the flat state is made of them, as after a snap sync.
func (m *maker) downloadState(db ethdb.Database, number uint64) error {
	source := rawdb.NewMemoryDatabase()
	config := core.DefaultConfig()
	config.ArchiveMode = true
	peer, err := core.NewBlockChain(source, m.chain.genesis, beacon.New(ethash.NewFaker()), config)
	if err != nil {
		return err
	}
	defer peer.Stop()
	if _, err := peer.InsertChain(m.blocks[:number]); err != nil {
		return err
	}
	for _, prefix := range [][]byte{rawdb.TrieNodeAccountPrefix, rawdb.TrieNodeStoragePrefix, rawdb.SnapshotAccountPrefix, rawdb.SnapshotStoragePrefix} {
		if err := db.DeleteRange(prefix, []byte{prefix[0] + 1}); err != nil {
			return err
		}
	}
	root := m.block(number).Root()
	return eachNode(trie.StateTrieID(root), peer.TrieDB(), func(path, node []byte) {
		rawdb.WriteAccountTrieNode(db, path, node)
	}, func(hash common.Hash, value []byte) error {
		var account types.StateAccount
		if err := rlp.DecodeBytes(value, &account); err != nil {
			return err
		}
		if code := rawdb.ReadCode(source, common.BytesToHash(account.CodeHash)); len(code) > 0 {
			rawdb.WriteCode(db, common.BytesToHash(account.CodeHash), code)
		}
		if account.Root == types.EmptyRootHash {
			return nil
		}
		return eachNode(trie.StorageTrieID(root, hash, account.Root), peer.TrieDB(), func(path, node []byte) {
			rawdb.WriteStorageTrieNode(db, hash, path, node)
		}, func(common.Hash, []byte) error { return nil })
	})
}

// eachNode visits the nodes of a trie that are stored by themselves, and its leaves.
func eachNode(id *trie.ID, tries *triedb.Database, node func(path, blob []byte), leaf func(key common.Hash, value []byte) error) error {
	t, err := trie.New(id, tries)
	if err != nil {
		return err
	}
	iterator, err := t.NodeIterator(nil)
	if err != nil {
		return err
	}
	for iterator.Next(true) {
		if iterator.Leaf() {
			if err := leaf(common.BytesToHash(iterator.LeafKey()), iterator.LeafBlob()); err != nil {
				return err
			}
		} else if iterator.Hash() != (common.Hash{}) {
			node(iterator.Path(), iterator.NodeBlob())
		}
	}
	return iterator.Error()
}
