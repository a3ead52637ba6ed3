// What geth is asked beyond the basic methods: headers, uncles, raw data, fees, and the read side of debug.

package main

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/crypto"
)

func (t *transcripts) readCases() {
	t.headerCases()
	t.rawCases()
	t.feeCases()
	t.slotsCases()
	t.fillCases()
	t.databaseCases()
	t.listingCases()
	for _, method := range []string{
		"eth_accounts", "eth_pendingTransactions", "net_listening", "net_peerCount", "txpool_status", "txpool_content",
		"txpool_inspect", "eth_baseFee", "eth_blobBaseFee", "eth_config",
	} {
		t.ask(method, "plain")
		t.ask(method, "argument", 1)
	}
	t.ask("txpool_contentFrom", "plain", t.accounts[0].address)
	t.ask("txpool_contentFrom", "address-too-short", "0x12")
	t.ask("web3_sha3", "empty", "0x")
	t.ask("web3_sha3", "bytes", "0x68656c6c6f")
	t.ask("web3_sha3", "without-prefix", "68656c6c6f")
}

func (t *transcripts) headerCases() {
	const byNumber, byHash = "eth_getHeaderByNumber", "eth_getHeaderByHash"
	t.forkBlocks(func(name string, number uint64) {
		t.ask(byNumber, "first-of-"+name, quantity(number))
	})
	t.ask(byNumber, "latest", "latest")
	t.ask(byNumber, "finalized", "finalized")
	t.ask(byNumber, "above-the-head-is-null", quantity(uint64(len(t.blocks))+1))
	t.ask(byNumber, "hash-as-number", t.hashOf(1))
	t.ask(byHash, "canonical", t.hashOf(1))
	t.ask(byHash, "of-the-losing-branch", t.side[0].Hash())
	t.ask(byHash, "unknown-hash-is-null", unknownHash)
	for _, block := range t.blocks {
		if len(block.Uncles()) == 0 {
			continue
		}
		number, hash := quantity(block.NumberU64()), block.Hash()
		t.ask("eth_getUncleByBlockNumberAndIndex", "first", number, "0x0")
		t.ask("eth_getUncleByBlockNumberAndIndex", "past-the-last-is-null", number, "0x7")
		t.ask("eth_getUncleByBlockHashAndIndex", "first", hash, "0x0")
		t.ask("eth_getUncleByBlockHashAndIndex", "past-the-last-is-null", hash, "0x7")
		t.ask("eth_getUncleCountByBlockNumber", "some", number)
		t.ask("eth_getUncleCountByBlockHash", "some", hash)
		break
	}
	t.ask("eth_getUncleByBlockNumberAndIndex", "above-the-head-is-null", "0xffffff", "0x0")
	t.ask("eth_getUncleByBlockNumberAndIndex", "index-as-number", "0x1", 0)
	t.ask("eth_getUncleByBlockHashAndIndex", "unknown-hash-is-null", unknownHash, "0x0")
	t.ask("eth_getUncleCountByBlockNumber", "none", "0x1")
	t.ask("eth_getUncleCountByBlockNumber", "above-the-head-is-null", "0xffffff")
	t.ask("eth_getUncleCountByBlockHash", "unknown-hash-is-null", unknownHash)
}

func (t *transcripts) rawCases() {
	const transaction, ofDebug = "eth_getRawTransactionByHash", "debug_getRawTransaction"
	const byNumber, byHash = "eth_getRawTransactionByBlockNumberAndIndex", "eth_getRawTransactionByBlockHashAndIndex"
	const header, block, receipts = "debug_getRawHeader", "debug_getRawBlock", "debug_getRawReceipts"
	seen := map[uint8]bool{}
	for _, b := range t.blocks {
		for i, tx := range b.Transactions() {
			if seen[tx.Type()] {
				continue
			}
			seen[tx.Type()] = true
			name := "type-" + quantity(uint64(tx.Type()))[2:]
			number, index := quantity(b.NumberU64()), quantity(uint64(i))
			t.ask(transaction, name, tx.Hash())
			t.ask(ofDebug, name, tx.Hash())
			t.ask(byNumber, name, number, index)
			t.ask(byHash, name, b.Hash(), index)
			t.ask(block, name, number)
			t.ask(receipts, name, b.Hash())
		}
	}
	t.ask(transaction, "unknown-hash-is-empty", unknownHash)
	t.ask(ofDebug, "unknown-hash-is-empty", unknownHash)
	t.ask(byNumber, "past-the-last-is-empty", "0x1", "0x99")
	t.ask(byNumber, "above-the-head-is-empty", "0xffffff", "0x0")
	t.ask(byHash, "unknown-hash-is-empty", unknownHash, "0x0")
	t.forkBlocks(func(name string, number uint64) {
		t.ask(header, "first-of-"+name, quantity(number))
	})
	for _, method := range []string{header, block, receipts} {
		t.ask(method, "genesis", "earliest")
		t.ask(method, "latest", "latest")
		t.ask(method, "of-the-losing-branch", t.side[0].Hash())
		t.ask(method, "above-the-head", "0xffffff")
		t.ask(method, "unknown-hash", unknownHash)
		t.ask(method, "object-of-neither", object{})
	}
}

func (t *transcripts) feeCases() {
	const method = "eth_feeHistory"
	head := quantity(uint64(len(t.blocks)))
	t.ask(method, "none", "0x0", "latest", []int{50})
	t.ask(method, "without-percentiles", "0x5", "latest")
	t.ask(method, "empty-percentiles", "0x5", head, []int{})
	t.ask(method, "with-percentiles", "0xa", "latest", []float64{0, 25.5, 50, 99.9, 100})
	t.ask(method, "count-in-decimal", "5", "latest", nil)
	t.ask(method, "count-as-number", 5, head, []int{50})
	t.ask(method, "before-london", "0x3", "0x10", []int{50})
	t.ask(method, "cut-at-genesis", "0x40", "0x3", nil)
	t.ask(method, "more-than-1024", "0xffff", "latest", nil)
	t.forkBlocks(func(name string, number uint64) {
		t.ask(method, "around-"+name, "0x3", quantity(number+1), []int{10, 90})
	})
	t.ask(method, "above-the-head", "0x1", "0xffffff", nil)
	t.ask(method, "percentile-negative", "0x1", "latest", []int{-1})
	t.ask(method, "percentile-above-100", "0x1", "latest", []float64{100.5})
	t.ask(method, "percentiles-descending", "0x1", "latest", []int{90, 10})
	t.ask(method, "percentile-halfway-between-two-texts", "0x1", "latest", []float64{100.0078125})
	t.ask(method, "percentiles-too-many", "0x1", "latest", make([]int, 101))
	t.ask(method, "percentiles-of-text", "0x1", "latest", []any{"50"})
	t.ask(method, "count-that-is-none", true, "latest", nil)
}

func (t *transcripts) slotsCases() {
	const method = "eth_getStorageValues"
	token := t.contracts["token"]
	balance := mapSlot(t.accounts[0].address[:], nil)
	t.ask(method, "some", object{token.Hex(): []any{balance, word3(2)}, genesisBox.Hex(): []any{word3(1)}}, "latest")
	t.ask(method, "no-account", object{unknownAddress: []any{word3(1)}})
	t.ask(method, "nothing", object{})
	t.ask(method, "no-slots", object{token.Hex(): []any{}}, "latest")
	t.ask(method, "short-slot", object{token.Hex(): []any{"0x1"}})
	t.ask(method, "short-address", object{"0x12": []any{word3(1)}})
	t.ask(method, "list", []any{})
	t.ask(method, "block-past-the-head", object{token.Hex(): []any{word3(1)}}, "0xffffff")
	words := make([]any, 1025)
	for i := range words {
		words[i] = word3(int64(i))
	}
	t.ask(method, "too-many", object{token.Hex(): words})
}

func (t *transcripts) fillCases() {
	const method = "eth_fillTransaction"
	from, to := t.accounts[0].address, t.accounts[1].address
	fees := func(fields object) object {
		fields["from"], fields["maxFeePerGas"], fields["maxPriorityFeePerGas"] = from, "0x4a817c800", "0x1"
		return fields
	}
	t.ask(method, "transfer", fees(object{"to": to, "value": "0x1"}))
	t.ask(method, "gas-price-makes-it-legacy", object{"from": from, "to": to, "gasPrice": "0x4a817c800"})
	t.ask(method, "gas-and-nonce-given", fees(object{"to": to, "gas": "0x5300", "nonce": "0x7"}))
	t.ask(method, "access-list", fees(object{"to": to, "accessList": []any{object{"address": to, "storageKeys": []any{word3(1)}}}}))
	t.ask(method, "creation", fees(object{"input": "0x00", "gas": "0xffff"}))
	t.ask(method, "creation-without-data", fees(object{}))
	t.ask(method, "data-and-input-differ", fees(object{"to": to, "data": "0x01", "input": "0x02"}))
	t.ask(method, "no-blobs", fees(object{"to": to, "blobVersionedHashes": []any{}}))
	t.ask(method, "both-fees", fees(object{"to": to, "gasPrice": "0x1"}))
	t.ask(method, "another-chain", fees(object{"to": to, "chainId": "0x1"}))
	t.ask(method, "more-than-it-has", fees(object{"to": to, "value": "0xffffffffffffffffffffffffffff"}))
}

func (t *transcripts) databaseCases() {
	key := func(prefix string, rest ...[]byte) string {
		all := []byte(prefix)
		for _, part := range rest {
			all = append(all, part...)
		}
		return hexutil.Encode(all)
	}
	head := t.hashOf(uint64(len(t.blocks)))
	t.ask("debug_dbGet", "number-of-the-head", key("H", head[:]))
	t.ask("debug_dbGet", "key-as-text", "LastBlock")
	t.ask("debug_dbGet", "unknown", "0x00")
	t.ask("debug_dbGet", "empty", "")
	t.ask("debug_dbGet", "not-hex", "0xzz")
	t.ask("debug_dbGet", "odd", "0x123")
	t.ask("debug_dbGet", "number", 5)
	for _, table := range []string{rawdb.ChainFreezerHeaderTable, rawdb.ChainFreezerHashTable, rawdb.ChainFreezerBodiesTable, rawdb.ChainFreezerReceiptTable} {
		t.ask("debug_dbAncient", table, table, 20)
	}
	t.ask("debug_dbAncient", "out-of-bounds", "headers", 1_000_000)
	t.ask("debug_dbAncient", "unknown-table", "diffs", 0)
	t.ask("debug_dbAncient", "number-in-hex", "headers", "0x1")
	t.ask("debug_dbAncient", "number-negative", "headers", -1)
	t.ask("debug_dbAncients", "plain")
	t.ask("debug_preimage", "address", crypto.Keccak256Hash(t.accounts[0].address[:]))
	t.ask("debug_preimage", "unknown", unknownHash)
	t.ask("debug_getBadBlocks", "none")
	t.ask("debug_printBlock", "above-the-head", 1_000_000)
	t.ask("debug_stateSize", "not-enabled", "latest")
}

func (t *transcripts) listingCases() {
	head := uint64(len(t.blocks))
	all := func(block any, start string, most int, flags ...bool) []any {
		return []any{block, start, most, flags[0], flags[1], flags[2]}
	}
	t.ask("debug_accountRange", "first-five", all("latest", "0x", 5, true, true, false)...)
	t.ask("debug_accountRange", "with-code-and-storage", all(quantity(head-20), "0x", 20, false, false, true)...)
	t.ask("debug_accountRange", "from-the-middle", all(t.hashOf(30), "0x80"+repeat("00", 31), 0, true, true, true)...)
	t.ask("debug_accountRange", "above-the-head", all("0xffffff", "0x", 5, true, true, true)...)
	t.ask("debug_accountRange", "unknown-hash", all(unknownHash, "0x", 5, true, true, true)...)
	t.ask("debug_accountRange", "missing-arguments", "latest", "0x", 5)
	t.ask("debug_accountRange", "most-as-hex", "latest", "0x", "0x5", true, true, true)
	t.ask("debug_dumpBlock", "genesis", "0x0")
	t.ask("debug_dumpBlock", "earliest-is-not-found", "earliest")
	t.ask("debug_dumpBlock", "above-the-head", "0xffffff")
	const changed, changedByHash = "debug_getModifiedAccountsByNumber", "debug_getModifiedAccountsByHash"
	t.ask(changed, "one-block", head)
	t.ask(changed, "range", 40, 90)
	t.ask(changed, "genesis-has-no-parent", 0)
	t.ask(changed, "backwards", 90, 40)
	t.ask(changed, "start-above-the-head", 1_000_000)
	t.ask(changed, "end-above-the-head", 1, 1_000_000)
	t.ask(changed, "number-in-hex", "0x1")
	t.ask(changedByHash, "one-block", t.hashOf(50))
	t.ask(changedByHash, "range", t.hashOf(40), t.hashOf(50))
	t.ask(changedByHash, "unknown-start", unknownHash)
	t.ask(changedByHash, "unknown-end", t.hashOf(40), unknownHash)
	t.ask("debug_getAccessibleState", "upwards", "0x5", "0x10")
	t.ask("debug_getAccessibleState", "downwards", "latest", "0x10")
	t.ask("debug_getAccessibleState", "the-same", "0x5", "0x5")
	t.ask("debug_getAccessibleState", "above-the-head", "0xfffff0", "0xfffff8")
	t.ask("debug_getAccessibleState", "above-2-to-the-53", "0x20000000000001", "0x20000000000003")
	t.ask("debug_getAccessibleState", "just-below-2-to-the-53", "0x1fffffffffffff", "0x20000000000003")
	storage := func(block any, index int, address common.Address, start string, most int) []any {
		return []any{block, index, address, start, most}
	}
	box := t.contracts["box"]
	t.ask("debug_storageRangeAt", "some", storage(t.hashOf(100), 0, box, "0x00", 10)...)
	t.ask("debug_storageRangeAt", "one-and-the-next", storage(quantity(120), 0, genesisBox, "0x", 1)...)
	t.ask("debug_storageRangeAt", "none-of-an-account", storage("latest", 0, t.accounts[0].address, "0x00", 10)...)
	t.ask("debug_storageRangeAt", "index-past-the-last", storage(t.hashOf(100), 99, box, "0x00", 10)...)
	t.ask("debug_storageRangeAt", "genesis", storage("0x0", 0, box, "0x00", 10)...)
	t.ask("debug_storageRangeAt", "index-in-hex", "0x1", "0x0", box, "0x00", 10)
	t.ask("debug_storageRangeAt", "above-the-head", storage("0xffffff", 0, box, "0x00", 10)...)
	t.ask("debug_storageRangeAt", "unknown-hash", storage(unknownHash, 0, box, "0x00", 10)...)
	t.ask("debug_storageRangeAt", "unknown-canonical-hash",
		storage(object{"blockHash": unknownHash, "requireCanonical": true}, 0, box, "0x00", 10)...)
	for _, number := range []uint64{50, 100, head} {
		t.ask("debug_intermediateRoots", "of-"+quantity(number), t.hashOf(number))
	}
	t.ask("debug_intermediateRoots", "genesis", t.hashOf(0))
	t.ask("debug_intermediateRoots", "unknown-hash", unknownHash)
}
