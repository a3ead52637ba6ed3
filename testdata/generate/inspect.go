// What a finished directory holds, as read by the code of geth on a copy.

package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
)

// digestEvery is the number of keys that one line of a digest covers.
const digestEvery = 64

// digest is what every key and value of a store hash to, so that another reader can be compared with geth's.
type digest struct {
	Keys   int           `json:"keys"`
	Chunks []digestChunk `json:"chunks"`
}

// digestChunk covers keys in ascending order. The hash is SHA-256 over length (BE4) and bytes of each key and value.
type digestChunk struct {
	First  string `json:"first"`
	Keys   int    `json:"keys"`
	SHA256 string `json:"sha256"`
}

// openStore opens a key-value store with the code of geth. Opening writes, so it must be a copy.
func openStore(chaindata string) (ethdb.KeyValueStore, error) {
	switch engine := rawdb.PreexistingDatabase(chaindata); {
	case engine == rawdb.DBLeveldb:
		return leveldb.New(chaindata, 16, 16, "", false)
	case engine == rawdb.DBPebble && pebble.NeedsV1(chaindata):
		return pebble.NewV1(chaindata, 16, 16, "", false)
	case engine == rawdb.DBPebble:
		return pebble.New(chaindata, 16, 16, "", false)
	}
	return nil, fmt.Errorf("%s holds no store", chaindata)
}

func digestOf(store ethdb.KeyValueStore) (digest, error) {
	var (
		all   digest
		chunk digestChunk
		hash  = sha256.New()
	)
	finish := func() {
		if chunk.Keys > 0 {
			chunk.SHA256 = hex.EncodeToString(hash.Sum(nil))
			all.Chunks = append(all.Chunks, chunk)
		}
		chunk = digestChunk{}
		hash.Reset()
	}
	iterator := store.NewIterator(nil, nil)
	defer iterator.Release()
	for iterator.Next() {
		if chunk.Keys == 0 {
			chunk.First = hex.EncodeToString(iterator.Key())
		}
		for _, part := range [][]byte{iterator.Key(), iterator.Value()} {
			hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
			hash.Write(part)
		}
		all.Keys++
		if chunk.Keys++; chunk.Keys == digestEvery {
			finish()
		}
	}
	finish()
	return all, iterator.Error()
}

// logIndexFacts is how far geth's own log index reaches.
type logIndexFacts struct {
	Version     uint32 `json:"version"`
	HeadIndexed bool   `json:"headIndexed"`
	// FirstBlock to LastBlock, both included, are indexed; the last one may be indexed in part unless headIndexed.
	FirstBlock uint64 `json:"firstBlock"`
	LastBlock  uint64 `json:"lastBlock"`
	Maps       uint32 `json:"maps"`
}

func logIndexOf(store ethdb.KeyValueStore) (*logIndexFacts, error) {
	indexed, found, err := rawdb.ReadFilterMapsRange(store)
	if err != nil || !found {
		return nil, err
	}
	return &logIndexFacts{indexed.Version, indexed.HeadIndexed, indexed.BlocksFirst, indexed.BlocksAfterLast - 1,
		indexed.MapsAfterLast - indexed.MapsFirst}, nil
}

// bloomSections counts the bloom bits: one vector for each of 2,048 bits and each section.
func bloomSections(store ethdb.KeyValueStore) (int, error) {
	iterator := store.NewIterator([]byte("B"), nil)
	defer iterator.Release()
	vectors := 0
	for iterator.Next() {
		if len(iterator.Key()) == 1+2+8+common.HashLength {
			vectors++
		}
	}
	return vectors / 2048, iterator.Error()
}

// readLogIndex reads from a copy how far the log index reaches.
func (m *maker) readLogIndex() (*logIndexFacts, error) {
	copied := filepath.Join(m.work, "index")
	if err := os.CopyFS(copied, os.DirFS(m.dir)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(copied)
	store, err := openStore(filepath.Join(copied, "geth", "chaindata"))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return logIndexOf(store)
}

// look reads what the finished directory holds: the digest of its store, the log index, the single keys.
func (m *maker) look(out string) error {
	copied := filepath.Join(m.work, "look")
	if err := os.CopyFS(copied, os.DirFS(m.dir)); err != nil {
		return err
	}
	defer os.RemoveAll(copied)
	store, err := openStore(filepath.Join(copied, "geth", "chaindata"))
	if err != nil {
		return err
	}
	defer store.Close()
	all, err := digestOf(store)
	if err != nil {
		return err
	}
	if m.facts.LogIndex, err = logIndexOf(store); err != nil {
		return err
	}
	head := rawdb.ReadHeadBlockHash(store)
	at := slices.IndexFunc(m.blocks, func(b *types.Block) bool { return b.Hash() == head })
	if at < 0 || (at != len(m.blocks)-1 && !m.lossy) {
		return fmt.Errorf("the head is %s", head)
	}
	m.facts.Head = factsOf(m.blocks[at])
	if m.facts.BloomSections, err = bloomSections(store); err != nil {
		return err
	}
	if m.recipe.scheme == "path" {
		root := crypto.Keccak256Hash(rawdb.ReadAccountTrieNode(store, nil))
		number, found := m.blockWithRoot(root)
		if !found {
			return fmt.Errorf("the persistent root %s belongs to no block", root)
		}
		m.facts.PersistentState = &number
	}
	m.facts.Keys = all.Keys
	return writeDigest(out, m.recipe.name, all)
}

func writeDigest(out, name string, all digest) error {
	folder := filepath.Join(out, "digests")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return writeJSON(filepath.Join(folder, name+".json"), all)
}

// blockWithRoot is the newest block with a state root.
func (m *maker) blockWithRoot(root common.Hash) (uint64, bool) {
	for i := len(m.blocks) - 1; i >= 0; i-- {
		if m.blocks[i].Root() == root {
			return m.blocks[i].NumberU64(), true
		}
	}
	return 0, m.chain.genesis.ToBlock().Root() == root
}

// span is a range of blocks, both ends included.
type span [2]uint64

// probeStates asks a node at which blocks it can read the state.
func (m *maker) probeStates(r *running) error {
	var spans []span
	for number := uint64(0); number <= m.facts.Head.Number; number++ {
		if _, err := r.call("eth_getBalance", m.accounts[0].address, quantity(number)); err != nil {
			continue
		}
		if last := len(spans) - 1; last >= 0 && spans[last][1]+1 == number {
			spans[last][1] = number
		} else {
			spans = append(spans, span{number, number})
		}
	}
	var head string
	answer, err := r.call("eth_blockNumber")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, &head); err != nil {
		return err
	}
	m.facts.States = &stateFacts{spans, common.HexToHash(head).Big().Uint64()}
	return nil
}

// stateFacts says which states geth 1.17.5 itself can read after a start on the directory.
type stateFacts struct {
	Blocks []span `json:"blocks"`
	// HeadAfterStart is below the head where geth had to go back because states were lost.
	HeadAfterStart uint64 `json:"headAfterStart"`
}

// askStates starts the newest geth on a copy to see which states it can read.
func (m *maker) askStates() error {
	n := m.node
	n.binary, n.dir = m.newest, filepath.Join(m.work, "states")
	if err := os.CopyFS(n.dir, os.DirFS(m.dir)); err != nil {
		return err
	}
	defer os.RemoveAll(n.dir)
	r, err := n.start()
	if err != nil {
		return err
	}
	err = m.probeStates(r)
	if stopped := r.stop(); err == nil {
		err = stopped
	}
	return err
}
