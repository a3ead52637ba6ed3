// What geth is asked about storage, accounts and itself.

package main

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
)

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
