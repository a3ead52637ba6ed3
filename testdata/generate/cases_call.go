package main

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// Precompiled contracts with input that works.
func precompileInputs() map[string][2]string {
	return map[string][2]string{
		"ecrecover": {"0x01", "456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3" + repeat("0", 62) + "1c" +
			"9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608" + "4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada"},
		"sha256":                   {"0x02", "616263"},
		"ripemd160":                {"0x03", "616263"},
		"identity":                 {"0x04", "00112233"},
		"modexp":                   {"0x05", repeat("0", 63) + "1" + repeat("0", 63) + "1" + repeat("0", 63) + "1" + "03" + "05" + "07"},
		"bn254-add":                {"0x06", repeat("0", 63) + "1" + repeat("0", 63) + "2" + repeat("0", 63) + "1" + repeat("0", 63) + "2"},
		"bn254-mul":                {"0x07", repeat("0", 63) + "1" + repeat("0", 63) + "2" + repeat("0", 63) + "5"},
		"bn254-pairing-of-nothing": {"0x08", ""},
		"blake2f": {"0x09", "0000000c48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b61626300" +
			repeat("00", 124) + "0300000000000000" + "0000000000000000" + "01"},
		"p256-verify-bad-length": {"0x0100", "00"},
		"bls-map-to-g1":          {"0x10", repeat("0", 126) + "01"},
	}
}

func (t *transcripts) callCases() {
	const method = "eth_call"
	var (
		head      = uint64(len(t.blocks))
		token     = t.contracts["token"]
		probeAt   = t.contracts["probe"]
		holder    = t.accounts[0].address
		call      = func(to common.Address, data []byte) object { return object{"to": to, "data": bytesHex(data)} }
		balanceOf = join(selector("balanceOf(address)"), word(holder))
		with      = func(base object, more object) object {
			merged := object{}
			for _, part := range []object{base, more} {
				for key, value := range part {
					merged[key] = value
				}
			}
			return merged
		}
	)
	// what a contract answers, and when
	t.ask(method, "token-balance-at-the-head", call(token, balanceOf), "latest")
	t.ask(method, "token-balance-at-an-old-block", call(token, balanceOf), "0x6")
	t.ask(method, "token-balance-before-the-token", call(token, balanceOf), "0x0")
	t.ask(method, "token-name", call(token, selector("name()")), "latest")
	t.ask(method, "token-total-supply", call(token, selector("totalSupply()")), "finalized")
	t.ask(method, "token-transfer-simulated", with(call(token, tokenTransfer(bystander(1), 10)), object{"from": holder}), "latest")
	t.ask(method, "token-transfer-refused", call(token, tokenTransfer(bystander(1), 10)), "latest")
	t.ask(method, "token-allowance", call(token, join(selector("allowance(address,address)"), word(holder), word(t.accounts[1].address))), "latest")
	t.ask(method, "writes-are-forgotten", call(t.contracts["box"], join(word(900), word(1))), "latest")
	t.ask(method, "log-in-a-call", call(t.contracts["logger"], logData([]byte("x"), pingTopic)), "latest")
	t.ask(method, "account-without-code-returns-nothing", call(bystander(3), []byte{1, 2, 3}), "latest")
	t.ask(method, "contract-that-died", call(t.contracts["mortal"], word(holder)), "latest")
	// block parameter
	t.ask(method, "block-missing-means-latest", call(token, balanceOf))
	t.ask(method, "block-null-means-latest", call(token, balanceOf), nil)
	t.ask(method, "block-by-hash", call(token, balanceOf), t.hashOf(60))
	t.ask(method, "block-by-hash-object", call(token, balanceOf), object{"blockHash": t.hashOf(60), "requireCanonical": true})
	t.ask(method, "block-of-the-losing-branch", call(token, balanceOf), object{"blockHash": t.side[0].Hash()})
	t.ask(method, "block-of-the-losing-branch-must-be-canonical", call(token, balanceOf), object{"blockHash": t.side[0].Hash(), "requireCanonical": true})
	t.ask(method, "block-past-the-head", call(token, balanceOf), quantity(head+1))
	t.ask(method, "block-hash-unknown", call(token, balanceOf), unknownHash)
	for name, number := range malformedNumbers {
		if name != "null" {
			t.ask(method, "block-"+name, call(token, balanceOf), number)
		}
	}
	// environment, in each fork that knows the value
	known := map[string]uint64{"extcodehash": t.forks.constantinople, "chainid": t.forks.istanbul, "selfbalance": t.forks.istanbul,
		"basefee": t.forks.london, "push0": t.forks.shanghai, "blobhash": t.forks.cancun, "blobbasefee": t.forks.cancun,
		"transient": t.forks.cancun, "mcopy": t.forks.cancun, "clz": t.forks.osaka, "shift": t.forks.constantinople}
	for _, p := range probes {
		argument := word(int(head - 3))
		if strings.HasPrefix(p.name, "extcode") || p.name == "balance" {
			argument = word(token)
		}
		data := call(probeAt, probe(p.name, argument))
		t.ask(method, "probe-"+p.name+"-at-the-head", data, quantity(head))
		if fork, young := known[p.name]; young && fork != 0 {
			t.ask(method, "probe-"+p.name+"-one-block-before-its-fork", data, quantity(fork-1))
			t.ask(method, "probe-"+p.name+"-at-its-fork", data, quantity(fork))
		}
	}
	t.ask(method, "difficulty-before-the-merge", call(probeAt, probe("prevrandao")), quantity(t.forks.merge-1))
	t.ask(method, "prevrandao-after-the-merge", call(probeAt, probe("prevrandao")), quantity(t.forks.merge))
	for name, number := range map[string]uint64{"parent": head - 1, "itself-is-zero": head, "future-is-zero": head + 5, "oldest-of-256": head - 256, "257-back-is-zero": head - 257} {
		if number <= head+5 { // a short chain has no block 257 back
			t.ask(method, "blockhash-of-"+name, call(probeAt, probe("blockhash", word(int(number)))), quantity(head))
		}
	}
	t.ask(method, "origin-and-caller-default-to-zero", call(probeAt, probe("caller")), "latest")
	t.ask(method, "caller-is-from", with(call(probeAt, probe("caller")), object{"from": holder}), "latest")
	t.ask(method, "callvalue", with(call(probeAt, probe("callvalue")), object{"from": holder, "value": "0x7b"}), "latest")
	t.ask(method, "basefee-reads-zero-for-free-calls", call(probeAt, probe("basefee")), "latest")
	t.ask(method, "basefee-reads-true-for-paid-calls", with(call(probeAt, probe("basefee")), object{"from": holder, "gasPrice": "0x174876e800", "gas": "0xffff"}), "latest")
	t.ask(method, "gasprice-of-legacy-fee", with(call(probeAt, probe("gasprice")), object{"from": holder, "gasPrice": "0x174876e800", "gas": "0xffff"}), "latest")
	t.ask(method, "gasprice-of-dynamic-fee", with(call(probeAt, probe("gasprice")), object{"from": holder, "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x5", "gas": "0xffff"}), "latest")
	t.ask(method, "dynamic-fee-before-london-is-ignored", with(call(probeAt, probe("gasprice")), object{"maxFeePerGas": "0x5", "maxPriorityFeePerGas": "0x6"}), quantity(t.forks.london-1))
	t.ask(method, "gas-given", with(call(probeAt, probe("gas")), object{"gas": "0x186a0"}), "latest")
	t.ask(method, "gas-above-the-cap-is-lowered", with(call(probeAt, probe("gas")), object{"gas": "0xffffffffffff"}), "latest")
	t.ask(method, "access-list-warms", with(call(t.contracts["box"], word(3)), object{"gas": "0x7530",
		"accessList": []any{object{"address": t.contracts["box"], "storageKeys": []any{word3(3)}}}}), "latest")
	t.ask(method, "input-wins-over-data", object{"to": probeAt, "data": bytesHex(probe("number")), "input": bytesHex(probe("chainid"))}, "latest")
	t.ask(method, "empty-input-wins-over-data", object{"to": token, "data": bytesHex(balanceOf), "input": "0x"}, "latest")
	t.ask(method, "nonce-has-no-effect", with(call(probeAt, probe("number")), object{"nonce": "0xffff"}), "latest")
	t.ask(method, "unknown-members-are-ignored", with(call(probeAt, probe("number")), object{"type": "0x9", "colour": "red"}), "latest")
	t.ask(method, "matching-chain-id", with(call(probeAt, probe("number")), object{"chainId": quantity(chainID)}), "latest")
	t.ask(method, "to-null-creates", object{"to": nil, "data": bytesHex(deployer([]byte{0xab, 0xcd}))}, "latest")
	t.ask(method, "creation-returns-the-code", object{"data": bytesHex(deployer(boxCode()))}, "latest")
	t.ask(method, "creation-returns-the-code-in-frontier", object{"data": bytesHex(deployer(boxCode()))}, "0x2")
	t.ask(method, "call-object-empty", object{}, "latest")
	t.ask(method, "call-object-null", nil, "latest")
	t.ask(method, "call-through-proxy", call(t.contracts["proxy"], proxyCall(0, token, balanceOf)), "latest")
	t.ask(method, "static-call-cannot-write", call(t.contracts["proxy"], proxyCall(2, t.contracts["box"], join(word(1), word(2)))), "latest")
	t.ask(method, "delegate-call-reads-own-storage", call(t.contracts["proxy"], proxyCall(1, t.contracts["box"], word(1))), "latest")
	t.ask(method, "code-call-sees-own-address", call(t.contracts["proxy"], proxyCall(3, probeAt, probe("address"))), "latest")
	t.ask(method, "contract-makes-a-contract", call(t.contracts["factory"], factoryCall(false, common.Hash{}, deployer(boxCode()))), "latest")
	t.ask(method, "contract-makes-a-salted-contract", call(t.contracts["factory"], factoryCall(true, word3(77), deployer(boxCode()))), "latest")
	t.ask(method, "salted-contract-that-exists-already", call(t.contracts["factory"], factoryCall(true, createTwoSalt, mortalInitCode)), "latest")
	for name, p := range precompileInputs() {
		t.ask(method, "precompile-"+name, object{"to": common.HexToAddress(p[0]), "data": "0x" + p[1]}, "latest")
	}
	t.ask(method, "precompile-blake2f-before-istanbul-is-an-empty-account", object{"to": common.HexToAddress("0x09"), "data": "0x00"}, quantity(t.forks.istanbul-1))
	if t.forks.prague != 0 {
		t.ask(method, "delegated-account-runs-its-delegate", object{"to": t.accounts[9].address, "data": bytesHex(word(5))}, "latest")
		t.ask(method, "delegation-is-seen-by-extcodesize", call(probeAt, probe("extcodesize", word(t.accounts[9].address))), "latest")
		t.ask(method, "blob-base-fee-when-high", call(probeAt, probe("blobbasefee")), quantity(t.forks.cancun+13))
		t.ask(method, "blob-hash-of-the-call", with(call(probeAt, probe("blobhash", word(0))), object{"blobVersionedHashes": []any{"0x01" + repeat("ab", 31)}}), "latest")
		authorization := (&blockMaker{}).authorize(t.accounts[4], t.contracts["logger"], chainID, 1<<40)
		t.ask(method, "authorization-with-a-wrong-nonce-is-skipped", with(call(probeAt, probe("extcodesize", word(t.accounts[4].address))),
			object{"authorizationList": []any{authorization}}), "latest")
	}
	// overrides
	over := func(name string, data object, states object, more ...any) {
		t.ask(method, "override-"+name, append([]any{data, "latest", states}, more...)...)
	}
	key := func(address common.Address) string { return strings.ToLower(address.Hex()) }
	over("balance", call(probeAt, probe("balance", word(bystander(1)))), object{key(bystander(1)): object{"balance": "0x1234"}})
	over("nonce-moves-created-address", call(t.contracts["factory"], factoryCall(false, common.Hash{}, deployer(boxCode()))), object{key(t.contracts["factory"]): object{"nonce": "0x64"}})
	over("code", call(bystander(1), nil), object{key(bystander(1)): object{"code": bytesHex(assemble("0x2a 0 MSTORE 32 0 RETURN"))}})
	over("state-replaces-all", call(genesisBox, word(2)), object{key(genesisBox): object{"state": object{word3(1).Hex(): word3(9).Hex()}}})
	over("state-diff-keeps-the-rest", call(genesisBox, word(2)), object{key(genesisBox): object{"stateDiff": object{word3(1).Hex(): word3(9).Hex()}}})
	over("state-diff-changes-a-slot", call(genesisBox, word(1)), object{key(genesisBox): object{"stateDiff": object{word3(1).Hex(): word3(9).Hex()}}})
	over("state-and-diff-together", call(genesisBox, word(1)), object{key(genesisBox): object{"state": object{}, "stateDiff": object{}}})
	over("moves-a-precompile", object{"to": bystander(1), "data": "0x616263"}, object{key(common.HexToAddress("0x02")): object{"movePrecompileToAddress": bystander(1)}})
	over("moves-what-is-no-precompile", object{"to": bystander(1)}, object{key(bystander(2)): object{"movePrecompileToAddress": bystander(1)}})
	over("covers-a-precompile", object{"to": common.HexToAddress("0x02"), "data": "0x616263"}, object{key(common.HexToAddress("0x02")): object{"code": "0x00"}})
	over("short-storage-key", call(genesisBox, word(1)), object{key(genesisBox): object{"stateDiff": object{"0x1": "0x2"}}})
	over("address-malformed", call(genesisBox, word(1)), object{"0x12": object{"balance": "0x1"}})
	over("balance-malformed", call(genesisBox, word(1)), object{key(genesisBox): object{"balance": 1}})
	over("null", call(genesisBox, word(2)), nil)
	over("as-string", call(genesisBox, word(2)), nil, "x")
	over("value-from-an-overridden-balance", object{"from": bystander(19), "to": bystander(1), "value": "0xde0b6b3a7640000000000"}, object{key(bystander(19)): object{"balance": "0xffffffffffffffffffffffff"}})
	for name, p := range map[string]struct {
		field string
		value any
		probe string
	}{
		"number": {"number", "0x1000", "number"}, "time": {"time", "0x70000000", "timestamp"}, "gas-limit": {"gasLimit", "0x1234567", "gaslimit"},
		"fee-recipient": {"feeRecipient", bystander(5), "coinbase"}, "prev-randao": {"prevRandao", word3(0x5eed), "prevrandao"},
		"base-fee-reads-zero-for-free-calls": {"baseFeePerGas", "0x77", "basefee"}, "blob-base-fee": {"blobBaseFee", "0x99", "blobbasefee"},
		"difficulty-after-the-merge": {"difficulty", "0x99", "prevrandao"}, "old-name-of-base-fee-is-ignored": {"baseFee", "0x77", "basefee"},
		"beacon-root": {"beaconRoot", word3(1), "number"}, "withdrawals": {"withdrawals", []any{}, "number"}, "number-malformed": {"number", 5, "number"},
	} {
		over("block-"+name, call(probeAt, probe(p.probe)), nil, object{p.field: p.value})
	}
	over("block-time-turns-off-a-fork", call(probeAt, probe("push0")), nil, object{"time": quantity(genesisTime)})
	t.ask(method, "fifth-argument", call(token, balanceOf), "latest", nil, nil, nil)
}

func (t *transcripts) callFailureCases() {
	const method = "eth_call"
	failer, holder := t.contracts["failer"], t.accounts[0].address
	ways := map[int]string{0: "empty-revert", 1: "revert-with-reason", 3: "custom-error", 4: "invalid-opcode", 6: "stack-underflow", 7: "invalid-jump",
		8: "revert-with-empty-reason", 9: "undefined-opcode", 10: "stack-overflow", 11: "reason-malformed", 12: "revert-shorter-than-a-selector",
		13: "return-data-out-of-bounds", 14: "memory-size-overflow", 15: "reason-not-utf-8", 16: "writes-then-reverts", 17: "memory-too-dear", 18: "reason-with-markup"}
	for way, name := range ways {
		t.ask(method, "fails-with-"+name, object{"to": failer, "data": bytesHex(fail(way, word(0x1234))), "gas": "0xf4240"}, "latest")
	}
	t.ask(method, "fails-with-endless-loop", object{"to": failer, "data": bytesHex(fail(5)), "gas": "0xf4240"}, "latest")
	for _, code := range []int{0, 1, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51, 0x99} {
		t.ask(method, fmt.Sprintf("panic-%02x", code), object{"to": failer, "data": bytesHex(fail(2, word(code)))}, "latest")
	}
	t.ask(method, "revert-before-byzantium-is-no-opcode", object{"to": failer, "data": bytesHex(fail(1)), "gas": "0xf4240"}, quantity(t.forks.byzantium-1))
	t.ask(method, "inner-revert-is-passed-on", object{"to": t.contracts["proxy"], "data": bytesHex(proxyCall(0, failer, fail(1)))}, "latest")
	call := func(name string, members object) { t.ask(method, name, members, "latest") }
	call("gas-zero", object{"to": failer, "gas": "0x0"})
	call("gas-below-intrinsic", object{"to": failer, "gas": "0x5207"})
	call("gas-exactly-intrinsic", object{"to": bystander(1), "gas": "0x5208"})
	call("gas-below-data-floor", object{"to": bystander(1), "gas": "0x7d00", "data": "0x" + repeat("11", 500)})
	call("value-without-balance", object{"from": unknownAddress, "to": bystander(1), "value": "0x1"})
	call("value-more-than-balance", object{"from": holder, "to": bystander(1), "value": "0x" + repeat("f", 30)})
	call("price-without-balance", object{"from": unknownAddress, "to": bystander(1), "gasPrice": "0x174876e800", "gas": "0x5208"})
	call("price-below-base-fee", object{"from": holder, "to": bystander(1), "gasPrice": "0x1", "gas": "0x5208"})
	call("both-kinds-of-price", object{"to": bystander(1), "gasPrice": "0x1", "maxFeePerGas": "0x1"})
	call("tip-above-cap", object{"from": holder, "to": bystander(1), "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x174876e801", "gas": "0x5208"})
	call("fee-cap-below-base-fee", object{"from": holder, "to": bystander(1), "maxFeePerGas": "0x1", "gas": "0x5208"})
	call("chain-id-of-another-chain", object{"to": bystander(1), "chainId": "0x1"})
	call("creation-reverts", object{"data": bytesHex(assemble("0 0 REVERT"))})
	call("creation-of-code-that-begins-with-ef", object{"data": bytesHex(deployer([]byte{0xef, 1}))})
	call("creation-of-too-much-code", object{"data": bytesHex(assemble("24577 0 RETURN"))})
	call("creation-with-too-much-init-code", object{"data": "0x" + repeat("00", 49153)})
	call("creation-cannot-pay-for-its-code", object{"data": bytesHex(assemble("20000 0 RETURN")), "gas": "0x186a0"})
	if t.forks.prague != 0 {
		call("blob-without-receiver", object{"blobVersionedHashes": []any{"0x01" + repeat("00", 31)}})
		call("blob-list-empty", object{"to": bystander(1), "blobVersionedHashes": []any{}})
		call("blob-hash-version", object{"to": bystander(1), "blobVersionedHashes": []any{"0x02" + repeat("00", 31)}})
		call("blob-fee-cap-too-low", object{"from": holder, "to": bystander(1), "maxFeePerBlobGas": "0x1", "blobVersionedHashes": []any{"0x01" + repeat("00", 31)}, "gas": "0x5208"})
		call("seven-blobs", object{"to": bystander(1), "blobVersionedHashes": []any{
			"0x01" + repeat("00", 31), "0x01" + repeat("01", 31), "0x01" + repeat("02", 31), "0x01" + repeat("03", 31), "0x01" + repeat("04", 31), "0x01" + repeat("05", 31), "0x01" + repeat("06", 31)}})
		call("authorizations-empty", object{"to": bystander(1), "authorizationList": []any{}})
		call("authorization-member-missing", object{"to": bystander(1), "authorizationList": []any{object{"chainId": "0x1"}}})
	}
	call("precompile-with-bad-input", object{"to": common.HexToAddress("0x09"), "data": "0x00"})
	call("pairing-with-bad-length", object{"to": common.HexToAddress("0x08"), "data": "0x00"})
	call("bn254-point-off-the-curve", object{"to": common.HexToAddress("0x06"), "data": "0x" + repeat("11", 128)})
	// malformed call objects
	for name, members := range map[string]object{
		"from-too-short": {"from": "0x12"}, "to-empty-string": {"to": ""}, "to-no-digits": {"to": "0x"}, "to-number": {"to": 1}, "gas-decimal": {"gas": "21000"},
		"gas-number": {"gas": 21000}, "gas-leading-zero": {"gas": "0x05"}, "gas-beyond-64-bits": {"gas": "0x10000000000000000"}, "value-beyond-256-bits": {"value": "0x1" + repeat("0", 64)},
		"value-not-hex": {"value": "0xzz"}, "data-odd-length": {"data": "0x123"}, "data-without-prefix": {"data": "1234"}, "data-number": {"data": 1},
		"input-not-hex": {"input": "0xzz"}, "nonce-number": {"nonce": 1}, "access-list-object": {"accessList": object{}}, "access-list-without-keys": {"accessList": []any{object{"address": holder}}},
		"access-list-short-key": {"accessList": []any{object{"address": holder, "storageKeys": []any{"0x1"}}}}, "chain-id-number": {"chainId": 1},
	} {
		t.ask(method, "malformed-"+name, members, "latest")
	}
	t.ask(method, "malformed-call-string", "0x", "latest")
	t.ask(method, "malformed-call-array", []any{}, "latest")
	t.ask(method, "call-missing")
	t.ask(method, "data-empty-string-is-empty", object{"to": bystander(1), "data": ""}, "latest")
	t.ask(method, "value-empty-string-is-zero", object{"to": bystander(1), "value": ""}, "latest")
}

func (t *transcripts) bodyCases() {
	t.body("not-json", "hello")
	t.body("cut-off-json", `{"jsonrpc":"2.0","id":1,`)
	t.body("empty", "")
	t.body("white-space", " \n\t ")
	t.body("number", "5")
	t.body("string", `"x"`)
	t.body("null", "null")
	t.body("true", "true")
	t.body("empty-object", "{}")
	t.body("version-missing", `{"id":1,"method":"eth_chainId","params":[]}`)
	t.body("version-wrong", `{"jsonrpc":"1.0","id":1,"method":"eth_chainId","params":[]}`)
	t.body("version-number", `{"jsonrpc":2.0,"id":1,"method":"eth_chainId","params":[]}`)
	t.body("method-missing", `{"jsonrpc":"2.0","id":7}`)
	t.body("method-empty", `{"jsonrpc":"2.0","id":7,"method":""}`)
	t.body("method-number", `{"jsonrpc":"2.0","id":7,"method":1}`)
	t.body("method-too-long", `{"jsonrpc":"2.0","id":7,"method":"`+repeat("x", 2049)+`"}`)
	t.body("method-unknown", `{"jsonrpc":"2.0","id":7,"method":"eth_noSuchMethod","params":[]}`)
	t.body("method-in-other-case", `{"jsonrpc":"2.0","id":7,"method":"eth_getblockbynumber","params":["0x1",false]}`)
	t.body("method-without-namespace", `{"jsonrpc":"2.0","id":7,"method":"chainId","params":[]}`)
	t.body("subscription-over-http", `{"jsonrpc":"2.0","id":7,"method":"eth_subscribe","params":["newHeads"]}`)
	t.body("params-missing", `{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}`)
	t.body("params-null", `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":null}`)
	t.body("params-object", `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":{}}`)
	t.body("params-string", `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":"x"}`)
	t.body("id-string", `{"jsonrpc":"2.0","id":"aé\n","method":"eth_chainId"}`)
	t.body("id-escaped-string", `{"jsonrpc":"2.0","id":"\u00e9\/<&>","method":"eth_chainId"}`)
	t.body("id-fraction-keeps-its-text", `{"jsonrpc":"2.0","id":1.50,"method":"eth_chainId"}`)
	t.body("id-exponent-keeps-its-text", `{"jsonrpc":"2.0","id":1e3,"method":"eth_chainId"}`)
	t.body("id-large-keeps-its-digits", `{"jsonrpc":"2.0","id":12345678901234567890123,"method":"eth_chainId"}`)
	t.body("id-boolean", `{"jsonrpc":"2.0","id":true,"method":"eth_chainId"}`)
	t.body("id-null-is-a-call", `{"jsonrpc":"2.0","id":null,"method":"eth_chainId"}`)
	t.body("id-missing-is-a-notification", `{"jsonrpc":"2.0","method":"eth_chainId"}`)
	t.body("id-object", `{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}`)
	t.body("id-array", `{"jsonrpc":"2.0","id":[1],"method":"eth_chainId"}`)
	t.body("response-in-place-of-request", `{"jsonrpc":"2.0","id":1,"result":"0x1"}`)
	t.body("unknown-members", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","extra":[1,2]}`)
	t.body("duplicate-members-last-wins", `{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"eth_chainId"}`)
	t.body("bytes-after-the-value", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"} trailing`)
	t.body("two-values", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}{"jsonrpc":"2.0","id":2,"method":"eth_chainId"}`)
	t.body("byte-order-mark", "\ufeff"+`{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`)
	t.body("batch", `[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"eth_blockNumber"}]`)
	t.body("batch-empty", `[]`)
	t.body("batch-of-nonsense", `[1,null,[],"x"]`)
	t.body("batch-with-notification", `[{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"eth_chainId"}]`)
	t.body("batch-of-notifications", `[{"jsonrpc":"2.0","method":"eth_chainId"}]`)
	t.body("batch-with-errors", `[{"jsonrpc":"2.0","id":1,"method":"nope"},{"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["x"]},{"jsonrpc":"2.0","id":3,"method":"eth_chainId"}]`)
	t.body("batch-cut-off", `[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`)
	t.body("batch-too-large", "["+repeat(`{"jsonrpc":"2.0","id":9,"method":"eth_chainId"},`, 1000)+`{"jsonrpc":"2.0","id":9,"method":"eth_chainId"}]`)
}
