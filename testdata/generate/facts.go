// The description that a pack carries as meta.json.

package main

import "github.com/ethereum/go-ethereum/core/types"

// facts is the pack's meta.json.
type facts struct {
	Name      string      `json:"name"`
	Geth      string      `json:"geth"`
	Engine    string      `json:"engine"`
	Scheme    string      `json:"scheme"`
	GCMode    string      `json:"gcmode"`
	Chain     string      `json:"chain"`
	ChainID   int         `json:"chainId"`
	Genesis   string      `json:"genesis"`
	Head      blockFacts  `json:"head"`
	Finalized *blockFacts `json:"finalized"`
	// Frozen counts the blocks in the freezer: 0 to Frozen-1.
	Frozen uint64 `json:"frozen"`
	// LogFrom is the lowest block that lies only in the store's write-ahead log; null where none does.
	LogFrom *uint64 `json:"logFrom"`
	// Keys counts the entries of the key-value store.
	Keys     int            `json:"keys"`
	LogIndex *logIndexFacts `json:"logIndex"`
	// BloomSections counts the sections of 4,096 blocks of bloom bits, the log index up to 1.15.5.
	BloomSections int `json:"bloomSections"`
	// PersistentState is the block whose state the path scheme's nodes in the store form; null in the hash scheme.
	PersistentState *uint64     `json:"persistentState"`
	States          *stateFacts `json:"states"`
}

type blockFacts struct {
	Number    uint64 `json:"number"`
	Hash      string `json:"hash"`
	StateRoot string `json:"stateRoot"`
}

func factsOf(block *types.Block) blockFacts {
	return blockFacts{block.NumberU64(), block.Hash().Hex(), block.Root().Hex()}
}
