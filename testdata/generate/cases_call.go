// What geth is asked to call: contracts in every fork, fees, overrides, creations, precompiles.

package main

import (
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
