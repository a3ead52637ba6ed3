// The mainnet profile: a chain whose blocks have the shape of real ones, in a directory that geth opens and serves. Nothing
// is executed: every block has the state of genesis. It is never committed.

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"math/bits"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

const (
	mainnetChunk   = 100 // blocks that are written at once
	mainnetInStore = 64  // newest blocks that are not in the freezer, as after finality on the main network
	secondsPerSlot = 12
)

// mainnetProfile says what to make.
type mainnetProfile struct {
	gethDir string
	blocks  string // archive of real blocks
	out     string
	engine  string
	length  int
}

// produceMainnet writes DIR/data: a chain of varied real blocks, or the bench chain if there are no real blocks.
func produceMainnet(p mainnetProfile) error {
	originals, err := readRealBlocks(p.blocks)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("%s does not exist: making the bench chain\n", p.blocks)
		return produceBench(p.gethDir, p.out, p.length)
	}
	if err != nil {
		return err
	}
	binary, err := installGeth(p.gethDir, newestGeth)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.out, 0o755); err != nil {
		return err
	}
	m := &maker{chain: &chain{name: "mainnet", genesis: mainnetGenesis()}, work: p.out, newest: binary,
		genesis: filepath.Join(p.out, "genesis.json"),
		node: node{binary: binary, dir: filepath.Join(p.out, "data"), engine: p.engine, scheme: "hash", archive: true,
			extra: []string{"--cache", "1024"}}}
	if err := m.writeGenesis(); err != nil {
		return err
	}
	if err := m.init(m.genesis); err != nil {
		return err
	}
	if err := timed("writing blocks", func() error { return m.writeMainnet(newBlockShapes(originals), p.length) }); err != nil {
		return err
	}
	return timed("indexing", func() error { return m.settle(uint64(p.length)) })
}

// mainnetGenesis has the main network's chain id and its rules up to Prague from the first block on.
func mainnetGenesis() *core.Genesis {
	config := *params.MergedTestChainConfig
	config.OsakaTime = nil
	return &core.Genesis{
		Config: &config, Timestamp: genesisTime, GasLimit: 36_000_000, Difficulty: new(big.Int), BaseFee: big.NewInt(gwei),
		Alloc: types.GenesisAlloc{newAccount("mainnet").address: {Balance: big.NewInt(ether)}},
	}
}

// writeMainnet writes blocks as geth leaves them: old ones in the freezer, new ones in the store, all transactions indexed.
// The newest blocks stay in m.blocks.
func (m *maker) writeMainnet(shapes *blockShapes, length int) error {
	chaindata := filepath.Join(m.dir, "geth", "chaindata")
	store, err := openStore(chaindata)
	if err != nil {
		return err
	}
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(chaindata, "ancient")})
	if err != nil {
		return err
	}
	defer db.Close()
	parent := rawdb.ReadBlock(db, rawdb.ReadCanonicalHash(db, 0), 0)
	old := []*types.Block{parent}
	oldReceipts := []rlp.RawValue{rlp.EmptyList}
	root := parent.Root()
	frozen := uint64(max(0, length-mainnetInStore))
	var transactions, logs, bloomBits int
	batch := db.NewBatch()
	for number := uint64(1); number <= uint64(length); number++ {
		block, receipts, err := shapes.block(parent, root)
		if err != nil {
			return err
		}
		parent = block
		hashes := make([]common.Hash, len(block.Transactions()))
		for i, transaction := range block.Transactions() {
			hashes[i] = transaction.Hash()
			logs += len(receipts[i].Logs)
		}
		transactions += len(hashes)
		bloomBits += bitsSet(block.Bloom())
		rawdb.WriteHeaderNumber(batch, block.Hash(), number)
		rawdb.WriteTxLookupEntries(batch, number, hashes)
		if number <= frozen {
			old = append(old, block)
			oldReceipts = append(oldReceipts, types.EncodeBlockReceiptLists([]types.Receipts{receipts})...)
		} else {
			rawdb.WriteBlock(batch, block)
			rawdb.WriteReceipts(batch, block.Hash(), number, receipts)
			rawdb.WriteCanonicalHash(batch, block.Hash(), number)
		}
		if number+mainnetInStore >= uint64(length) {
			m.blocks = append(m.blocks, block)
		}
		if number%mainnetChunk == 0 || number == uint64(length) {
			if _, err := rawdb.WriteAncientBlocks(db, old, oldReceipts); err != nil {
				return err
			}
			old, oldReceipts = nil, nil
			if err := flush(batch); err != nil {
				return err
			}
		}
	}
	rawdb.WriteTxIndexTail(batch, 0)
	for _, write := range []func(ethdb.KeyValueWriter, common.Hash){
		rawdb.WriteHeadHeaderHash, rawdb.WriteHeadBlockHash, rawdb.WriteHeadFastBlockHash,
	} {
		write(batch, parent.Hash())
	}
	if err := flush(batch); err != nil {
		return err
	}
	fmt.Printf("%d blocks; a block has %d transactions, %d logs and %.1f %% of the bloom's bits\n", length,
		transactions/length, logs/length, 100*float64(bloomBits)/float64(length*types.BloomBitLength))
	return db.SyncAncient()
}

func flush(batch ethdb.Batch) error {
	defer batch.Reset()
	return batch.Write()
}

func bitsSet(bloom types.Bloom) (count int) {
	for at := 0; at < len(bloom); at += 8 {
		count += bits.OnesCount64(binary.BigEndian.Uint64(bloom[at:]))
	}
	return count
}

// block makes the block after a parent from the real one whose turn it is.
func (s *blockShapes) block(parent *types.Block, root common.Hash) (*types.Block, types.Receipts, error) {
	number := parent.NumberU64() + 1
	original := s.originals[number%uint64(len(s.originals))]
	body := types.Body{Withdrawals: original.body.Withdrawals}
	for _, transaction := range original.body.Transactions {
		varied, err := varyTransaction(transaction, number)
		if err != nil {
			return nil, nil, err
		}
		body.Transactions = append(body.Transactions, varied)
	}
	receipts := s.varyReceipts(original.receipts, number)
	header := types.CopyHeader(&original.header)
	header.ParentHash, header.Root = parent.Hash(), root
	header.Number, header.Time = new(big.Int).SetUint64(number), parent.Time()+secondsPerSlot
	header.MixDigest = common.BigToHash(header.Number)
	return types.NewBlock(header, &body, receipts, trie.NewStackTrie(nil)), receipts, nil
}
