// What geth is asked about directories that lack something: finality, history, states.

package main

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"
)

// states asks for states at blocks where a directory of the rich chain may or may not have them.
func (t *transcripts) states() {
	token, holder := t.contracts["token"], t.accounts[0].address
	head := uint64(len(t.blocks))
	balance := join(selector("balanceOf(address)"), word(holder))
	for _, number := range []uint64{0, 1, 60, 151, 152, 153, 197, 211, 212, 213, 280, 323, 324, head - 1, head} {
		at := fmt.Sprintf("at-%d", number)
		t.ask("eth_getBalance", at, holder, quantity(number))
		if !slices.Contains([]uint64{0, 151, 212, head}, number) {
			continue
		}
		t.ask("eth_getStorageAt", at, token, mapSlot(holder[:], nil), quantity(number))
		t.ask("eth_getProof", at, token, []any{mapSlot(holder[:], nil), "0x77"}, quantity(number))
		t.ask("eth_getCode", at, t.contracts["proxy"], quantity(number))
		t.ask("eth_call", at, object{"to": token, "data": bytesHex(balance)}, quantity(number))
	}
	t.ask("eth_getBalance", "losing-branch", holder, object{"blockHash": t.side[1].Hash()})
}

// unfinalized asks for the safe and finalized blocks of a directory that has none.
func (t *transcripts) unfinalized() {
	holder := t.accounts[0].address
	for _, tag := range []string{"safe", "finalized", "latest", "earliest"} {
		t.ask("eth_getBlockByNumber", "tag-"+tag, tag, false)
		t.ask("eth_getBlockReceipts", "tag-"+tag, tag)
		t.ask("eth_getTransactionByBlockNumberAndIndex", "tag-"+tag, tag, "0x0")
		t.ask("eth_getBlockTransactionCountByNumber", "tag-"+tag, tag)
		t.ask("eth_getBalance", "tag-"+tag, holder, tag)
		t.ask("eth_getStorageAt", "tag-"+tag, genesisBox, "0x1", tag)
		t.ask("eth_call", "tag-"+tag, object{"to": genesisBox, "data": bytesHex(word(1))}, tag)
		t.ask("eth_getLogs", "from-"+tag, object{"fromBlock": tag, "address": t.contracts["factory"]})
		t.ask("eth_getLogs", "to-"+tag, object{"fromBlock": "0x1", "toBlock": tag, "address": t.contracts["factory"]})
	}
}

// aroundCutoff are blocks on both sides of the one below which bodies and receipts are gone.
func aroundCutoff(cutoff uint64) []uint64 { return []uint64{0, 1, 6, cutoff - 1, cutoff, cutoff + 1} }

// prunedArchive asks about the history and the states of an archive whose old bodies and receipts are gone.
func (t *transcripts) prunedArchive() {
	cutoff := t.forks.merge
	t.prunedHistory(cutoff)
	for _, number := range aroundCutoff(cutoff) {
		at := fmt.Sprintf("%d", number)
		t.ask("eth_getBalance", at, t.accounts[0].address, quantity(number))
		t.ask("eth_call", at, object{"to": genesisBox, "data": bytesHex(word(1))}, quantity(number))
		t.ask("eth_call", at+"-blockhash", object{"to": t.contracts["probe"], "data": bytesHex(probe("blockhash", word(5)))}, quantity(number))
	}
	t.ask("eth_getBalance", "tag-earliest", t.accounts[0].address, "earliest")
}

// prunedPath asks a directory of the path scheme about both.
func (t *transcripts) prunedPath(cutoff uint64) {
	t.prunedHistory(cutoff)
	t.states()
}

// prunedHistory asks about blocks and logs on both sides of the cutoff.
func (t *transcripts) prunedHistory(cutoff uint64) {
	for _, number := range aroundCutoff(cutoff) {
		at := fmt.Sprintf("%d", number)
		t.ask("eth_getBlockByNumber", at, quantity(number), false)
		t.ask("eth_getBlockByNumber", at+"-with-transactions", quantity(number), true)
		t.ask("eth_getBlockByHash", at, t.hashOf(number), false)
		t.ask("eth_getBlockReceipts", at, quantity(number))
		t.ask("eth_getBlockReceipts", at+"-by-hash", t.hashOf(number))
		t.ask("eth_getTransactionByBlockNumberAndIndex", at, quantity(number), "0x0")
		t.ask("eth_getTransactionByBlockHashAndIndex", at, t.hashOf(number), "0x0")
		t.ask("eth_getBlockTransactionCountByNumber", at, quantity(number))
		t.ask("eth_getBlockTransactionCountByHash", at, t.hashOf(number))
		t.ask("eth_getLogs", at, object{"fromBlock": quantity(number), "toBlock": quantity(number)})
		t.ask("eth_getLogs", at+"-by-hash", object{"blockHash": t.hashOf(number)})
		t.ask("eth_getLogs", "from-"+at, object{"fromBlock": quantity(number), "toBlock": quantity(cutoff + 20)})
	}
	t.ask("eth_getBlockByNumber", "tag-earliest", "earliest", false)
	t.ask("eth_getLogs", "from-earliest", object{"fromBlock": "earliest", "toBlock": quantity(cutoff + 20)})
	t.ask("eth_getTransactionByBlockNumberAndIndex", "tag-earliest", "earliest", "0x0")
	t.ask("eth_getBlockReceipts", "tag-earliest", "earliest")
	t.ask("eth_getTransactionReceipt", "pruned", t.tx("deploy-token").Hash)
	t.ask("eth_getTransactionByHash", "pruned", t.tx("deploy-token").Hash)
	kept := slices.IndexFunc(t.blocks[cutoff-1:], func(b *types.Block) bool { return len(b.Transactions()) > 0 })
	first := t.blocks[int(cutoff)-1+kept].Transactions()[0].Hash()
	t.ask("eth_getTransactionReceipt", "first-kept", first)
	t.ask("eth_getTransactionByHash", "first-kept", first)
}
