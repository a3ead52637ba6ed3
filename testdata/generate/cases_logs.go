// What geth is asked about logs: filters, ranges, and filters that are none.

package main

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

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
