// What geth is asked about blocks, transactions and receipts.

package main

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
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
	t.proofCases()
	t.callCases()
	t.callFailureCases()
	t.handshakeCases()
	t.bodyCases()
	if t.name == "rich" {
		t.readCases()
		t.states()
	}
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
