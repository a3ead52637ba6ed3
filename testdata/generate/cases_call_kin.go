// What geth estimates, lists and traces: the questions of eth_call once more, put to its kin.

package main

import (
	"maps"
	"strings"
)

// tracesFolder holds answers of debug_traceCall: this project gives them to programs, not over JSON-RPC.
const tracesFolder = "traces"

// Requests over which geth crashes.
var crashesGeth = map[string]bool{
	"eth_estimateGas override-block-time-turns-off-a-fork": true,
	"eth_createAccessList blob-without-receiver":           true,
	"eth_createAccessList blob-without-receiver-funded":    true,
	tracesFolder + " blob-without-receiver":                true,
}

func (t *transcripts) callKinCases() {
	holder := t.accounts[0].address
	calls := t.list
	for _, c := range calls {
		params, isList := c.params.([]any)
		if c.folder != "eth_call" || !isList || len(params) == 0 || strings.Contains(c.name, "malformed") {
			continue
		}
		t.askKin("eth_estimateGas", c.name, params)
		t.askKin("eth_createAccessList", c.name, params[:min(3, len(params))])
		if call, isObject := params[0].(object); isObject {
			funded := maps.Clone(call)
			for field, value := range (object{"from": holder, "gas": "0x2dc6c0"}) {
				if _, given := funded[field]; !given {
					funded[field] = value
				}
			}
			t.askKin("eth_createAccessList", c.name+"-funded", append([]any{funded}, params[1:min(3, len(params))]...))
		}
		t.askKin(tracesFolder, c.name, traceParams(params))
	}
	for name, members := range map[string]object{
		"plain-transfer":                        {"from": holder, "to": bystander(1), "value": "0x1"},
		"transfer-with-price":                   {"from": holder, "to": bystander(1), "value": "0x1", "gasPrice": "0x174876e800"},
		"transfer-of-more-than-the-balance":     {"from": bystander(19), "to": bystander(1), "value": "0x1", "gasPrice": "0x174876e800"},
		"price-that-leaves-little-gas":          {"from": holder, "to": t.contracts["box"], "gasPrice": "0x" + repeat("1", 24)},
		"transfer-with-an-access-list":          {"from": holder, "to": bystander(1), "accessList": []any{object{"address": holder, "storageKeys": []any{word3(1)}}}},
		"limit-below-a-transfer-does-not-count": {"from": holder, "to": t.contracts["box"], "data": bytesHex(join(word(901), word(1))), "gas": "0x5207"},
		"limit-that-is-too-little":              {"from": holder, "to": t.contracts["box"], "data": bytesHex(join(word(901), word(1))), "gas": "0x5500"},
		"write-of-a-slot":                       {"from": holder, "to": t.contracts["box"], "data": bytesHex(join(word(901), word(1)))},
		"clearing-a-slot-is-paid-back":          {"from": holder, "to": genesisBox, "data": bytesHex(join(word(1), word(0)))},
		"call-of-a-write-gives-away-63-of-64":   {"from": holder, "to": t.contracts["proxy"], "data": bytesHex(proxyCall(0, t.contracts["box"], join(word(902), word(1))))},
		"creation-of-a-contract":                {"from": holder, "data": bytesHex(deployer(boxCode()))},
		"blob-transaction":                      {"from": holder, "to": bystander(1), "blobVersionedHashes": []any{"0x01" + repeat("00", 31)}},
		"blobs-with-price":                      {"from": holder, "to": bystander(1), "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x1", "maxFeePerBlobGas": "0x174876e800", "blobVersionedHashes": []any{"0x01" + repeat("00", 31)}},
		"dynamic-fees":                          {"from": holder, "to": t.contracts["box"], "data": bytesHex(join(word(901), word(1))), "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x1"},
		"self-destruct-within-a-call":           {"from": holder, "to": t.contracts["mortal"], "data": bytesHex(word(holder))},
		"data-at-the-floor-price":               {"from": holder, "to": bystander(1), "data": "0x" + repeat("11", 500)},
	} {
		for _, method := range []string{"eth_estimateGas", "eth_createAccessList"} {
			t.askKin(method, name, []any{members, "latest"})
		}
		t.askKin(tracesFolder, name, traceParams([]any{members, "latest"}))
	}
	t.forkBlocks(func(name string, number uint64) {
		write := object{"from": holder, "to": genesisBox, "data": bytesHex(join(word(1), word(7)))}
		t.askKin("eth_estimateGas", "write-in-"+name, []any{write, quantity(number)})
		t.askKin("eth_createAccessList", "write-in-"+name, []any{write, quantity(number)})
	})
	poor := object{"from": bystander(1), "to": holder, "value": "0xde0b6b3a7640000000000000000000", "maxFeePerGas": "0x3b9aca00", "maxPriorityFeePerGas": "0x1"}
	t.askKin("eth_createAccessList", "fees-before-london-without-funds", []any{poor, "0x10"})
	box := object{"from": holder, "to": t.contracts["box"], "data": bytesHex(join(word(901), word(1)))}
	for name, overrides := range map[string]object{
		"number": {"number": "0x1000"}, "gas-limit": {"gasLimit": "0x6000"}, "base-fee": {"baseFeePerGas": "0x77"}, "difficulty": {"difficulty": "0x99"},
	} {
		t.askKin("eth_estimateGas", "write-with-overridden-"+name, []any{box, "latest", nil, overrides})
	}
}

func (t *transcripts) askKin(method, name string, params []any) {
	if !crashesGeth[method+" "+name] {
		t.put(transcript{folder: method, name: name, params: params})
	}
}

// traceParams are those of eth_call for debug_traceCall.
func traceParams(params []any) []any {
	at := func(i int) any {
		if i < len(params) {
			return params[i]
		}
		return nil
	}
	block := at(1)
	if block == nil {
		block = "latest"
	}
	config := object{"tracer": "callTracer", "tracerConfig": object{"withLog": true}}
	for field, value := range (object{"stateOverrides": at(2), "blockOverrides": at(3)}) {
		if value != nil {
			config[field] = value
		}
	}
	return []any{at(0), block, config}
}
