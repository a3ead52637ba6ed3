package main

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
)

var (
	unknownHash    = common.HexToHash("0x00000000000000000000000000000000000000000000000000000000deadbeef").Hex()
	unknownAddress = "0x00000000000000000000000000000000deadbeef"
)

// all adds every case that makes sense for the chain.
func (t *transcripts) all() {
	t.blocksCases()
	t.transactionCases()
	t.receiptCases()
	t.logCases()
	t.storageCases()
	t.callCases()
	t.callFailureCases()
	t.handshakeCases()
	t.bodyCases()
}

// forkBlocks visits the first block of each fork.
func (t *transcripts) forkBlocks(visit func(name string, number uint64)) {
	visit("frontier", 1)
	for name, number := range t.forks.byName() {
		visit(strings.ToLower(name), number)
	}
}

// notableIn tells whether the chain has a transaction of that name.
func (t *transcripts) notableIn(name string) bool { _, ok := t.notable[name]; return ok }

// malformedNumbers are block numbers that no method takes.
var malformedNumbers = map[string]any{
	"json-number": 5, "decimal-string": "5", "no-digits": "0x", "leading-zero": "0x01", "not-hex": "0xzz", "empty-string": "",
	"beyond-64-bits": "0x10000000000000000", "beyond-int64": "0x8000000000000000", "tag-in-capitals": "Latest", "unknown-tag": "newest",
	"null": nil, "boolean": true, "array": []any{}, "object": object{}, "negative": "-0x1", "space-inside": "0x 1",
}

var malformedHashes = map[string]any{
	"too-short": "0x1234", "too-long": "0x" + repeat("ab", 33), "odd-length": "0x" + repeat("a", 63), "no-prefix": repeat("ab", 32),
	"not-hex": "0x" + repeat("zz", 32), "empty-string": "", "json-number": 1, "null": nil, "object": object{}, "array": []any{},
}

func (t *transcripts) blocksCases() {
	const method = "eth_getBlockByNumber"
	head := uint64(len(t.blocks))
	t.ask(method, "genesis", "0x0", true)
	t.forkBlocks(func(name string, number uint64) {
		t.ask(method, "first-block-of-"+name+"-with-transactions", quantity(number), true)
	})
	if t.forks.spurious != 0 {
		t.ask(method, "protected-and-unprotected-legacy-transactions", quantity(t.tx("spurious-first-protected").Block), true)
	}
	t.ask(method, "access-list-transactions", quantity(t.tx("berlin-access-list").Block), true)
	t.ask(method, "dynamic-fee-transactions", quantity(t.tx("london-dynamic-fee").Block), true)
	if t.forks.prague != 0 {
		t.ask(method, "blob-transaction", quantity(t.tx("cancun-one-blob").Block), true)
		t.ask(method, "blob-price-above-the-least", quantity(t.forks.cancun+12), false)
		t.ask(method, "set-code-transactions", quantity(t.tx("prague-three-authorizations").Block), true)
		t.ask(method, "execution-requests", quantity(t.tx("prague-withdrawal-request").Block), false)
		t.ask(method, "block-of-224-transactions", quantity(t.forks.prague+20), false)
	} else {
		t.ask(method, "block-of-224-transactions", quantity(t.forks.shanghai+20), false)
	}
	t.ask(method, "high-s-signature-of-frontier", quantity(t.tx("frontier-high-s-signature").Block), true)
	t.ask(method, "one-uncle", quantity(t.forks.homestead+2), false)
	t.ask(method, "two-uncles", quantity(t.forks.byzantium+3), false)
	t.ask(method, "uncle-in-the-london-block", quantity(t.forks.london), false)
	t.ask(method, "sixteen-withdrawals", quantity(t.forks.shanghai+1), false)
	t.ask(method, "block-without-transactions", quantity(22), true)
	t.ask(method, "block-without-transactions-after-the-merge", quantity(154), true)
	t.ask(method, "block-with-a-contract-creation", "0x1", false)
	t.ask(method, "head-by-number-with-transactions", quantity(head), true)
	t.ask(method, "head-by-number-with-hashes", quantity(head), false)
	t.ask(method, "one-before-the-head", quantity(head-1), false)
	t.ask(method, "one-past-the-head-is-null", quantity(head+1), false)
	t.ask(method, "far-past-the-head-is-null", "0x7fffffffffffffff", false)
	for _, tag := range []string{"latest", "earliest", "safe", "finalized"} {
		t.ask(method, "tag-"+tag, tag, false)
	}
	t.ask(method, "capital-prefix-and-digits", "0X1A", false)
	for name, number := range malformedNumbers {
		t.ask(method, "number-"+name, number, false)
	}
	t.ask(method, "number-as-block-hash", t.hashOf(1), false)
	t.ask(method, "flag-missing", "0x1")
	t.ask(method, "flag-null-means-false", "0x1", nil)
	t.ask(method, "flag-as-string", "0x1", "true")
	t.ask(method, "flag-as-number", "0x1", 1)
	t.ask(method, "flag-as-object", "0x1", object{})
	t.ask(method, "no-arguments")
	t.ask(method, "third-argument", "0x1", false, "0x2")
	t.askWith(method, "params-as-object", object{"block": "0x1"})
	t.askWith(method, "params-as-string", "0x1")
	t.askWith(method, "params-null", nil)

	const byHash = "eth_getBlockByHash"
	t.ask(byHash, "frozen-block", t.hashOf(10), false)
	t.ask(byHash, "newest-block-with-transactions", t.hashOf(head), true)
	t.ask(byHash, "genesis", t.hashOf(0), false)
	t.ask(byHash, "unknown-hash-is-null", unknownHash, false)
	for i, block := range t.side {
		t.ask(byHash, fmt.Sprintf("losing-branch-block-%d", i), block.Hash(), true)
	}
	for name, hash := range malformedHashes {
		t.ask(byHash, "hash-"+name, hash, false)
	}
	t.ask(byHash, "number-in-place-of-hash", "0x1", false)
}

func (t *transcripts) transactionCases() {
	const byHash = "eth_getTransactionByBlockHashAndIndex"
	const byNumber = "eth_getTransactionByBlockNumberAndIndex"
	head := uint64(len(t.blocks))
	kinds := map[string]string{
		"creation": "deploy-token", "high-s-signature": "frontier-high-s-signature", "unprotected-legacy": "frontier-transfer",
		"protected-legacy": "spurious-first-protected", "unprotected-after-spurious-dragon": "spurious-still-unprotected",
		"access-list": "berlin-access-list", "access-list-creation": "berlin-access-list-creation",
		"empty-access-list": "berlin-empty-access-list", "dynamic-fee": "london-dynamic-fee", "tip-cut-by-fee-cap": "london-tip-cut-by-cap",
		"dynamic-fee-without-tip": "london-no-tip", "dynamic-fee-creation": "london-dynamic-creation", "one-blob": "cancun-one-blob",
		"six-blobs": "prague-blobs", "set-code-for-itself": "prague-delegates-itself", "three-authorizations": "prague-three-authorizations",
		"set-code-that-failed": "prague-failing-set-code", "gas-limit-at-the-osaka-cap": "osaka-most-gas-allowed",
	}
	for name, notable := range kinds {
		if !t.notableIn(notable) {
			continue
		}
		tx := t.tx(notable)
		t.ask(byHash, name, t.hashOf(tx.Block), quantity(uint64(tx.Index)))
		t.ask(byNumber, name, quantity(tx.Block), quantity(uint64(tx.Index)))
	}
	crowd := t.forks.shanghai + 20
	if t.forks.prague != 0 {
		crowd = t.forks.prague + 20
	}
	for _, index := range []uint64{0, 127, 128, 223, 224, 255, 256} {
		t.ask(byNumber, fmt.Sprintf("index-%d-of-224-transactions", index), quantity(crowd), quantity(index))
	}
	t.ask(byNumber, "index-past-the-last-is-null", "0x1", "0x2")
	t.ask(byNumber, "index-largest-64-bit-is-null", "0x1", "0xffffffffffffffff")
	t.ask(byNumber, "index-beyond-64-bits", "0x1", "0x10000000000000000")
	t.ask(byNumber, "index-empty-string-means-zero", "0x1", "")
	t.ask(byNumber, "index-json-number", "0x1", 0)
	t.ask(byNumber, "index-decimal-string", "0x1", "0")
	t.ask(byNumber, "index-no-digits", "0x1", "0x")
	t.ask(byNumber, "index-leading-zero", "0x1", "0x00")
	t.ask(byNumber, "index-not-hex", "0x1", "0xg")
	t.ask(byNumber, "index-null", "0x1", nil)
	t.ask(byNumber, "index-missing", "0x1")
	t.ask(byNumber, "number-past-the-head-is-null", quantity(head+1), "0x0")
	t.ask(byNumber, "genesis-has-none", "0x0", "0x0")
	t.ask(byNumber, "tag-latest", "latest", "0x0")
	t.ask(byNumber, "tag-finalized", "finalized", "0x0")
	t.ask(byNumber, "tag-earliest-has-none", "earliest", "0x0")
	t.ask(byNumber, "third-argument", "0x1", "0x0", true)
	for name, number := range malformedNumbers {
		t.ask(byNumber, "number-"+name, number, "0x0")
	}
	t.ask(byNumber, "both-malformed-reports-the-first", "x", "y")

	t.ask(byHash, "unknown-hash-is-null", unknownHash, "0x0")
	t.ask(byHash, "index-past-the-last-is-null", t.hashOf(1), "0x2")
	t.ask(byHash, "index-as-json-number", t.hashOf(1), 1)
	t.ask(byHash, "block-without-transactions", t.hashOf(22), "0x0")
	t.ask(byHash, "transaction-of-the-losing-branch", t.side[0].Hash(), "0x0")
	t.ask(byHash, "capital-digits", strings.ToUpper(t.hashOf(1).Hex()[2:]), "0x0")
	t.ask(byHash, "capital-digits-with-prefix", "0X"+strings.ToUpper(t.hashOf(1).Hex()[2:]), "0x0")
	t.ask(byHash, "no-arguments")
	for name, hash := range malformedHashes {
		t.ask(byHash, "hash-"+name, hash, "0x0")
	}

	const one = "eth_getTransactionByHash"
	t.ask(one, "frozen-transaction", t.tx("deploy-token").Hash)
	t.ask(one, "dynamic-fee", t.tx("london-dynamic-fee").Hash)
	t.ask(one, "newest-transaction", t.newest(1))
	t.ask(one, "unknown-hash-is-null", unknownHash)
	t.ask(one, "only-in-the-losing-branch-is-null", t.tx("side-transfer").Hash)
	t.ask(one, "hash-too-short", "0x12")
}

// newest is the hash of a transaction near the head: the count-th newest block with transactions.
func (t *transcripts) newest(count int) common.Hash {
	for i := len(t.blocks) - 1; i >= 0; i-- {
		if txs := t.blocks[i].Transactions(); len(txs) > 0 {
			if count--; count == 0 {
				return txs[0].Hash()
			}
		}
	}
	panic("no transaction")
}

func (t *transcripts) receiptCases() {
	const one = "eth_getTransactionReceipt"
	for _, name := range t.order {
		switch {
		case strings.HasPrefix(name, "side-"):
			t.ask(one, name+"-is-null", t.tx(name).Hash)
		case strings.Contains(name, "blobs-") && !strings.HasSuffix(name, "-5-0"), strings.HasPrefix(name, "deploy-") && name != "deploy-token":
		case name == "frontier-high-s-signature":
			t.askUnder("9.3", one, name, t.tx(name).Hash)
		default:
			t.ask(one, name, t.tx(name).Hash)
		}
	}
	t.ask(one, "in-the-newest-block", t.newest(1))
	t.ask(one, "unknown-hash-is-null", unknownHash)
	t.ask(one, "block-hash-is-null", t.hashOf(1))
	t.ask(one, "no-arguments")
	t.ask(one, "second-argument", unknownHash, true)
	t.askWith(one, "params-as-number", 1)
	for name, hash := range malformedHashes {
		t.ask(one, "hash-"+name, hash)
	}

	const all = "eth_getBlockReceipts"
	head := uint64(len(t.blocks))
	t.ask(all, "genesis-has-none", "0x0")
	t.ask(all, "state-roots-of-frontier", "0x1")
	t.ask(all, "logs-of-every-topic-count", "0x6")
	t.ask(all, "high-s-signature", quantity(t.tx("frontier-high-s-signature").Block))
	t.ask(all, "failed-creation-has-an-address", quantity(t.forks.homestead+1))
	t.ask(all, "reverts-of-byzantium", quantity(t.tx("byzantium-revert-with-reason").Block))
	t.ask(all, "log-index-runs-through-the-block", quantity(t.tx("burst-of-40-logs").Block))
	t.ask(all, "access-list", quantity(t.tx("berlin-access-list").Block))
	t.ask(all, "dynamic-fees", quantity(t.tx("london-dynamic-fee").Block))
	t.ask(all, "block-without-transactions", quantity(22))
	if t.forks.prague != 0 {
		t.ask(all, "blob-gas-and-price", quantity(t.tx("cancun-one-blob").Block))
		t.ask(all, "blob-price-of-cancun", quantity(t.forks.cancun+12))
		t.ask(all, "blob-price-of-prague", quantity(t.forks.prague+10))
		t.ask(all, "blob-price-of-osaka", quantity(t.forks.osaka+10))
		t.ask(all, "blob-price-of-the-first-blob-parameter-fork", quantity(t.forks.bpo1+6))
		t.ask(all, "blob-price-of-the-second-blob-parameter-fork", quantity(t.forks.bpo2+6))
		t.ask(all, "set-code", quantity(t.tx("prague-three-authorizations").Block))
		t.ask(all, "system-contract-logs", quantity(t.tx("prague-withdrawal-request").Block))
	}
	t.ask(all, "head-by-number", quantity(head))
	t.ask(all, "tag-latest", "latest")
	t.ask(all, "tag-earliest", "earliest")
	t.ask(all, "tag-safe", "safe")
	t.ask(all, "tag-finalized", "finalized")
	t.ask(all, "by-hash", t.hashOf(5))
	t.ask(all, "by-hash-object", object{"blockHash": t.hashOf(5)})
	t.ask(all, "by-hash-object-canonical", object{"blockHash": t.hashOf(5), "requireCanonical": true})
	t.ask(all, "by-number-object", object{"blockNumber": "0x5"})
	t.ask(all, "by-tag-object", object{"blockNumber": "earliest"})
	t.ask(all, "losing-branch-by-hash", t.side[1].Hash())
	t.ask(all, "losing-branch-must-be-canonical", object{"blockHash": t.side[1].Hash(), "requireCanonical": true})
	t.ask(all, "unknown-hash-is-null", unknownHash)
	t.ask(all, "past-the-head-is-null", quantity(head+1))
	t.ask(all, "both-members", object{"blockHash": t.hashOf(5), "blockNumber": "0x5"})
	t.ask(all, "neither-member", object{})
	t.ask(all, "malformed-hash-member", object{"blockHash": "0x12"})
	t.ask(all, "malformed-number-member", object{"blockNumber": "5"})
	t.ask(all, "no-arguments")
	t.ask(all, "second-argument", "0x1", true)
	for name, number := range malformedNumbers {
		if name == "decimal-string" || name == "json-number" {
			t.askUnder("D3", all, "number-"+name, number)
		} else if name != "object" { // that is neither-member
			t.ask(all, "number-"+name, number)
		}
	}
}

func (t *transcripts) logCases() {
	const method = "eth_getLogs"
	var (
		head     = uint64(len(t.blocks))
		token    = t.contracts["token"]
		logger   = t.contracts["logger"]
		ping     = pingTopic
		transfer = eventTopic("Transfer(address,address,uint256)")
		one      = common.HexToHash("0x01")
		all      = func(more object) object {
			filter := object{"fromBlock": "0x0", "toBlock": quantity(head)}
			for key, value := range more {
				filter[key] = value
			}
			return filter
		}
		topicBlock = t.tx("log-with-0-topics").Block
		at         = func(number uint64, more object) object {
			filter := object{"fromBlock": quantity(number), "toBlock": quantity(number)}
			for key, value := range more {
				filter[key] = value
			}
			return filter
		}
	)
	t.ask(method, "one-block-everything", at(topicBlock, nil))
	t.ask(method, "by-block-hash", object{"blockHash": t.hashOf(topicBlock)})
	t.ask(method, "by-block-hash-and-address", object{"blockHash": t.hashOf(topicBlock), "address": logger})
	t.ask(method, "by-block-hash-of-the-losing-branch", object{"blockHash": t.side[1].Hash()})
	t.ask(method, "by-unknown-block-hash", object{"blockHash": unknownHash})
	t.ask(method, "empty-filter-means-the-head", object{})
	t.ask(method, "null-filter-means-the-head", nil)
	t.ask(method, "address-over-everything", all(object{"address": t.contracts["burst"]}))
	t.ask(method, "address-list", all(object{"address": []any{t.contracts["factory"], depositAddress, unknownAddress}}))
	t.ask(method, "address-list-empty-means-any", at(topicBlock, object{"address": []any{}}))
	t.ask(method, "address-null-means-any", at(topicBlock, object{"address": nil}))
	t.ask(method, "address-without-logs", all(object{"address": unknownAddress}))
	t.ask(method, "topic-over-everything", all(object{"topics": []any{eventTopic("Pong(uint256)")}}))
	t.ask(method, "topic-never-seen", all(object{"topics": []any{unknownHash}}))
	t.ask(method, "address-and-topic", all(object{"address": logger, "topics": []any{ping, one}}))
	t.ask(method, "transfers-from-one-account", all(object{"address": token, "topics": []any{transfer, word1(t.accounts[0].address)}}))
	t.ask(method, "transfers-to-one-account", object{"fromBlock": "0x4", "toBlock": quantity(head), "address": token,
		"topics": []any{transfer, nil, word1(t.accounts[1].address)}})
	t.ask(method, "topic-alternatives", at(topicBlock, object{"topics": []any{[]any{ping, transfer}, []any{one, unknownHash}}}))
	t.ask(method, "topic-position-null-needs-a-topic", at(topicBlock, object{"topics": []any{nil}}))
	t.ask(method, "two-null-positions-need-two-topics", at(topicBlock, object{"topics": []any{nil, nil}}))
	t.ask(method, "four-null-positions-need-four-topics", at(topicBlock, object{"topics": []any{nil, nil, nil, nil}}))
	t.ask(method, "empty-alternatives-are-a-wildcard", at(topicBlock, object{"topics": []any{[]any{}}}))
	t.ask(method, "null-among-alternatives-is-a-wildcard", at(topicBlock, object{"topics": []any{[]any{ping, nil, "not even hex"}, one}}))
	t.ask(method, "no-positions-include-logs-without-topics", at(topicBlock, object{"topics": []any{}}))
	t.ask(method, "topics-null", at(topicBlock, object{"topics": nil}))
	t.ask(method, "last-topic-only", at(topicBlock, object{"topics": []any{nil, nil, nil, common.HexToHash("0x03")}}))
	t.ask(method, "log-index-in-a-full-block", at(t.tx("burst-of-40-logs").Block, object{"topics": []any{eventTopic("Pong(uint256)")}}))
	t.ask(method, "range-across-freezer-and-store", object{"fromBlock": quantity(head - 60), "toBlock": quantity(head), "address": token})
	t.ask(method, "range-in-the-newest-blocks", object{"fromBlock": quantity(head - 12), "toBlock": "latest"})
	t.ask(method, "duplicate-addresses-and-topics", at(topicBlock, object{"address": []any{logger, logger}, "topics": []any{[]any{ping, ping}}}))
	t.ask(method, "capital-hex", at(topicBlock, object{"address": "0X" + strings.ToUpper(logger.Hex()[2:])}))
	t.ask(method, "unknown-members-are-ignored", at(topicBlock, object{"limit": 1, "address": logger}))
	// ranges
	t.ask(method, "from-latest-to-latest", object{"fromBlock": "latest", "toBlock": "latest"})
	t.ask(method, "from-earliest-to-number", object{"fromBlock": "earliest", "toBlock": "0x2"})
	t.ask(method, "from-finalized", object{"fromBlock": "finalized", "toBlock": "latest", "address": logger})
	t.ask(method, "from-safe-to-safe", object{"fromBlock": "safe", "toBlock": "safe"})
	t.ask(method, "range-turned-round", object{"fromBlock": "0x5", "toBlock": "0x4"})
	t.ask(method, "only-to-block-fails", object{"toBlock": quantity(head)})
	t.ask(method, "from-latest-to-head-number-fails", object{"fromBlock": "latest", "toBlock": quantity(head)})
	t.ask(method, "from-past-the-head-to-latest", object{"fromBlock": quantity(head + 1)})
	t.ask(method, "to-past-the-head", object{"fromBlock": "0x1", "toBlock": quantity(head + 1)})
	t.ask(method, "both-past-the-head", object{"fromBlock": quantity(head + 1), "toBlock": quantity(head + 2)})
	t.ask(method, "from-latest-to-earliest", object{"fromBlock": "latest", "toBlock": "earliest"})
	t.askUnder("D5", method, "from-pending", object{"fromBlock": "pending"})
	t.askUnder("D5", method, "to-pending", object{"fromBlock": quantity(head - 1), "toBlock": "pending"})
	t.ask(method, "hash-and-range", object{"blockHash": t.hashOf(1), "fromBlock": "0x1"})
	t.ask(method, "hash-and-latest", object{"blockHash": t.hashOf(1), "toBlock": "latest"})
	// malformed
	t.ask(method, "from-json-number", object{"fromBlock": 1})
	t.ask(method, "from-decimal-string", object{"fromBlock": "1"})
	t.ask(method, "from-leading-zero", object{"fromBlock": "0x01"})
	t.ask(method, "from-beyond-int64", object{"fromBlock": "0x8000000000000000"})
	t.ask(method, "hash-too-short", object{"blockHash": "0x12"})
	t.ask(method, "address-number", object{"address": 1})
	t.ask(method, "address-object", object{"address": object{}})
	t.ask(method, "address-too-short", object{"address": "0x12"})
	t.ask(method, "address-empty-string", object{"address": ""})
	t.ask(method, "address-no-digits", object{"address": "0x"})
	t.ask(method, "address-odd-length", object{"address": "0x123"})
	t.ask(method, "address-without-prefix", object{"address": logger.Hex()[2:]})
	t.ask(method, "address-list-with-a-short-one", object{"address": []any{logger, "0x12"}})
	t.ask(method, "address-list-with-null", object{"address": []any{logger, nil}})
	t.ask(method, "address-list-nested", object{"address": []any{[]any{logger}}})
	t.ask(method, "topics-string", object{"topics": ping})
	t.ask(method, "topics-object", object{"topics": object{}})
	t.ask(method, "topics-five-positions", object{"topics": []any{nil, nil, nil, nil, nil}})
	t.ask(method, "topics-number-inside", object{"topics": []any{1}})
	t.ask(method, "topics-nested-too-deep", object{"topics": []any{[]any{[]any{ping}}}})
	t.ask(method, "topic-too-short", object{"topics": []any{"0x12"}})
	t.ask(method, "topic-address-length", object{"topics": []any{logger}})
	t.ask(method, "topic-not-hex", object{"topics": []any{"0x" + repeat("zz", 32)}})
	t.ask(method, "topic-empty-string", object{"topics": []any{""}})
	t.ask(method, "filter-string", "latest")
	t.ask(method, "filter-number", 1)
	t.ask(method, "filter-array", []any{})
	t.ask(method, "filter-missing")
	t.ask(method, "second-argument", object{}, object{})
	many := make([]any, 1001)
	for i := range many {
		many[i] = word3(int64(i + 100))
	}
	t.askUnder("D6", method, "1001-topic-alternatives", object{"topics": []any{many}})
}

// word1 is an address as a topic.
func word1(address common.Address) common.Hash { return common.BytesToHash(address[:]) }

func (t *transcripts) storageCases() {
	const method = "eth_getStorageAt"
	head := uint64(len(t.blocks))
	box, token, phoenix, mortal := t.contracts["box"], t.contracts["token"], t.contracts["phoenix"], t.contracts["mortal"]
	t.ask(method, "genesis-slot", genesisBox, "0x1", "0x0")
	t.ask(method, "genesis-slot-full-word", genesisBox, "0x2", "latest")
	t.ask(method, "genesis-slot-high-bit", genesisBox, "0xffffffff", "latest")
	t.ask(method, "unset-slot-is-zero", genesisBox, "0x3", "latest")
	t.ask(method, "account-that-does-not-exist-is-zero", unknownAddress, "0x0", "latest")
	t.ask(method, "account-without-code-is-zero", t.accounts[0].address, "0x0", "latest")
	for _, slot := range []uint64{3, 5} {
		for _, number := range []uint64{40, 90, 120, 180, head - 20, head} {
			if number <= head {
				t.ask(method, fmt.Sprintf("box-slot-%d-at-%d", slot, number), box, quantity(slot), quantity(number))
			}
		}
	}
	balance := mapSlot(t.accounts[0].address[:], nil)
	t.ask(method, "token-balance-at-its-start", token, balance, quantity(t.tx("token-mint").Block))
	t.ask(method, "token-balance-before-its-start", token, balance, quantity(t.tx("token-mint").Block-1))
	t.ask(method, "token-balance-at-the-head", token, balance, "latest")
	t.ask(method, "token-total-supply", token, "0x2", "latest")
	t.ask(method, "contract-before-its-creation-is-zero", token, "0x2", "0x0")
	t.ask(method, "slot-before-the-contract-died", mortal, "0x7", quantity(t.forks.tangerine+2))
	t.ask(method, "slot-after-the-contract-died", mortal, "0x7", quantity(t.forks.tangerine+3))
	t.ask(method, "first-life-of-a-contract", phoenix, "0x1", quantity(t.forks.constantinople+1))
	t.ask(method, "second-life-forgets-the-first", phoenix, "0x1", quantity(t.forks.constantinople+3))
	t.ask(method, "second-life-has-its-own", phoenix, "0x2", quantity(t.forks.constantinople+3))
	if t.forks.prague != 0 {
		t.ask(method, "delegated-account-keeps-storage", t.accounts[9].address, "0x5", "latest")
		t.ask(method, "beacon-root-of-the-head", params.BeaconRootsAddress, quantity(blockTime(head)%8191+8191), "latest")
		t.ask(method, "history-contract-holds-the-parent-hash", params.HistoryStorageAddress, quantity((head-1)%8191), "latest")
	}
	// positions
	t.ask(method, "position-without-prefix", genesisBox, "2", "latest")
	t.ask(method, "position-odd-digits", genesisBox, "0x002", "latest")
	t.ask(method, "position-empty-string-is-slot-zero", genesisBox, "", "latest")
	t.ask(method, "position-no-digits-is-slot-zero", genesisBox, "0x", "latest")
	t.ask(method, "position-full-word", genesisBox, word3(2), "latest")
	t.ask(method, "position-capitals", genesisBox, "0XFFFFFFFF", "latest")
	t.ask(method, "position-null-is-slot-zero", genesisBox, nil, "latest")
	t.ask(method, "position-too-long", genesisBox, "0x"+repeat("0", 65), "latest")
	t.ask(method, "position-33-bytes", genesisBox, "0x"+repeat("00", 33), "latest")
	t.ask(method, "position-not-hex", genesisBox, "0xzz", "latest")
	t.ask(method, "position-json-number", genesisBox, 1, "latest")
	t.ask(method, "position-object", genesisBox, object{}, "latest")
	t.ask(method, "position-missing", genesisBox)
	// blocks
	t.ask(method, "block-missing-means-latest", genesisBox, "0x2")
	t.ask(method, "block-null-means-latest", genesisBox, "0x2", nil)
	t.ask(method, "block-by-hash", token, balance, t.hashOf(50))
	t.ask(method, "block-by-hash-object", token, balance, object{"blockHash": t.hashOf(50)})
	t.ask(method, "block-by-number-object", token, balance, object{"blockNumber": quantity(50)})
	t.ask(method, "block-by-tag-object", token, balance, object{"blockNumber": "finalized"})
	t.ask(method, "block-of-the-losing-branch", token, balance, t.side[1].Hash())
	t.ask(method, "block-of-the-losing-branch-must-be-canonical", token, balance, object{"blockHash": t.side[1].Hash(), "requireCanonical": true})
	for _, tag := range []string{"earliest", "safe", "finalized", "latest"} {
		t.ask(method, "block-tag-"+tag, token, balance, tag)
	}
	t.ask(method, "block-past-the-head", token, balance, quantity(head+1))
	t.ask(method, "block-hash-unknown", token, balance, unknownHash)
	t.ask(method, "block-unknown-comes-before-bad-position", token, "0xzz", quantity(head+1))
	t.ask(method, "block-both-members", token, balance, object{"blockHash": t.hashOf(5), "blockNumber": "0x5"})
	for name, number := range malformedNumbers {
		if name != "null" {
			t.ask(method, "block-"+name, token, balance, number)
		}
	}
	t.ask(method, "fourth-argument", token, balance, "latest", "0x1")
	for name, address := range map[string]any{
		"too-short": "0x12", "too-long": token.Hex() + "00", "without-prefix": token.Hex()[2:], "odd-length": "0x123", "not-hex": "0x" + repeat("zz", 20),
		"json-number": 1, "null": nil, "empty-string": "",
	} {
		t.ask(method, "address-"+name, address, "0x0", "latest")
	}
}

func (t *transcripts) handshakeCases() {
	head := uint64(len(t.blocks))
	t.ask("eth_chainId", "chain-id")
	t.ask("eth_chainId", "argument-too-many", 1)
	t.ask("eth_blockNumber", "head")
	t.ask("net_version", "network-id")
	t.ask("eth_syncing", "not-syncing")
	for _, method := range []string{"eth_getBlockTransactionCountByNumber", "eth_getBlockTransactionCountByHash"} {
		key := func(number uint64) any {
			if strings.HasSuffix(method, "Hash") {
				return t.hashOf(number)
			}
			return quantity(number)
		}
		t.ask(method, "two-transactions", key(1))
		t.ask(method, "none", key(22))
		t.ask(method, "genesis", key(0))
		t.ask(method, "malformed", "0x01")
		t.ask(method, "no-arguments")
	}
	t.ask("eth_getBlockTransactionCountByNumber", "past-the-head-is-null", quantity(head+1))
	t.ask("eth_getBlockTransactionCountByNumber", "tag-latest", "latest")
	t.ask("eth_getBlockTransactionCountByHash", "unknown-hash-is-null", unknownHash)
	subjects := map[string]any{
		"account": t.accounts[0].address, "contract": t.contracts["token"], "nobody": unknownAddress, "genesis-contract": genesisBox,
		"withdrawal-receiver": bystander(6), "delegated-or-plain-account": t.accounts[9].address, "delegation-removed-or-plain": t.accounts[8].address,
		"emptied-account": emptyAccount, "code-begins-with-ef-was-refused": crash(t, "london-code-begins-with-ef"),
	}
	for _, method := range []string{"eth_getBalance", "eth_getCode", "eth_getTransactionCount"} {
		for name, address := range subjects {
			t.ask(method, name+"-latest", address, "latest")
			t.ask(method, name+"-at-25", address, "0x19")
		}
		t.ask(method, "block-past-the-head", t.accounts[0].address, quantity(head+1))
		t.ask(method, "block-missing", t.accounts[0].address)
		t.ask(method, "address-too-short", "0x12", "latest")
		t.ask(method, "by-hash-of-the-losing-branch", t.accounts[0].address, object{"blockHash": t.side[0].Hash()})
	}
}

// crash is the address at which a creation failed.
func crash(t *transcripts, name string) common.Address {
	place := t.tx(name)
	return t.receipts[place.Block-1][place.Index].ContractAddress
}
