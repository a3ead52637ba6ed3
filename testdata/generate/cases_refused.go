// Calls that fail, and bodies that are no ordinary request.

package main

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
)

func (t *transcripts) callFailureCases() {
	const method = "eth_call"
	failer, holder := t.contracts["failer"], t.accounts[0].address
	ways := map[int]string{0: "empty-revert", 1: "revert-with-reason", 3: "custom-error", 4: "invalid-opcode", 6: "stack-underflow", 7: "invalid-jump",
		8: "revert-with-empty-reason", 9: "undefined-opcode", 10: "stack-overflow", 11: "reason-malformed", 12: "revert-shorter-than-a-selector",
		13: "return-data-out-of-bounds", 14: "memory-size-overflow", 15: "reason-not-utf-8", 16: "writes-then-reverts", 17: "memory-too-dear", 18: "reason-with-markup"}
	for way, name := range ways {
		t.ask(method, "fails-with-"+name, object{"to": failer, "data": bytesHex(fail(way, word(0x1234))), "gas": "0xf4240"}, "latest")
	}
	cut := "0x7f08c379a0" + repeat("00", 28) + "600052602060045260026024527fe282" + repeat("00", 30) + "60445260666000fd"
	t.ask(method, "fails-with-reason-cut-inside-of-a-character", object{"to": bystander(1)}, "latest", object{bystander(1).Hex(): object{"code": cut}})
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
	t.body("minus-zero-for-an-unsigned-number", `{"jsonrpc":"2.0","id":1,"method":"debug_dbAncient","params":["headers",-0]}`)
	t.body("minus-zero-as-percentile", `{"jsonrpc":"2.0","id":1,"method":"eth_feeHistory","params":["0x1","latest",[5,-0.0]]}`)
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
