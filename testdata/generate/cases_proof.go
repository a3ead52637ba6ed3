// What geth is asked to prove about accounts and slots.

package main

import "github.com/ethereum/go-ethereum/params"

func (t *transcripts) proofCases() {
	const method = "eth_getProof"
	head := uint64(len(t.blocks))
	token, box, mortal := t.contracts["token"], t.contracts["box"], t.contracts["mortal"]
	holder := t.accounts[0].address
	balance := mapSlot(holder[:], nil)
	none := []string{}
	t.ask(method, "account", holder, none, "latest")
	t.ask(method, "contract-without-slots", token, none, "latest")
	t.ask(method, "contract-with-slots", token, []any{balance, "0x2", mapSlot(t.accounts[1].address[:], nil)}, "latest")
	t.ask(method, "slot-that-is-not-set", token, []string{"0x77", "0xffffffff"}, "latest")
	t.ask(method, "slot-twice", genesisBox, []string{"0x1", "0x1"}, "latest")
	t.ask(method, "account-that-does-not-exist", unknownAddress, none, "latest")
	t.ask(method, "slot-of-an-account-that-does-not-exist", unknownAddress, []any{"0x0", word3(5)}, "latest")
	t.ask(method, "slot-of-an-account-without-storage", holder, []string{"0x0", "0x12"}, "latest")
	t.ask(method, "emptied-account", emptyAccount, none, "latest")
	t.ask(method, "genesis", genesisBox, []string{"0x1", "0x2", "0xffffffff"}, "0x0")
	t.ask(method, "contract-before-its-creation", token, []any{balance}, "0x0")
	t.ask(method, "contract-before-it-died", mortal, []string{"0x7"}, quantity(t.forks.tangerine+2))
	t.ask(method, "contract-after-it-died", mortal, []string{"0x7"}, quantity(t.forks.tangerine+3))
	for _, number := range []uint64{40, 90, 120, 180, head - 20, head} {
		if number <= head {
			t.ask(method, "box-at-"+quantity(number), box, []string{"0x3", "0x5", "0x6"}, quantity(number))
		}
	}
	if t.forks.prague != 0 {
		t.ask(method, "delegated-account", t.accounts[9].address, []string{"0x5"}, "latest")
		t.ask(method, "beacon-root-of-the-head", params.BeaconRootsAddress, []string{quantity(blockTime(head)%8191 + 8191)}, "latest")
	}
	// keys: 32 bytes come back as they are, anything shorter as a quantity
	t.ask(method, "key-full-word", genesisBox, []any{word3(2)}, "latest")
	t.ask(method, "key-full-word-in-capitals", genesisBox, []string{"0X" + repeat("00", 30) + "00FF"}, "latest")
	t.ask(method, "key-31-bytes", genesisBox, []string{"0x" + repeat("00", 30) + "02"}, "latest")
	t.ask(method, "key-63-digits-make-32-bytes", genesisBox, []string{"0x" + repeat("0", 62) + "2"}, "latest")
	t.ask(method, "key-without-prefix", genesisBox, []string{"2", "0002"}, "latest")
	t.ask(method, "key-empty", genesisBox, []string{"", "0x"}, "latest")
	t.ask(method, "key-null", genesisBox, []any{nil}, "latest")
	t.ask(method, "key-too-long", genesisBox, []string{"0x1", "0x" + repeat("00", 33)}, "latest")
	t.ask(method, "key-65-digits", genesisBox, []string{"0x" + repeat("0", 65)}, "latest")
	t.ask(method, "key-not-hex", genesisBox, []string{"0xzz"}, "latest")
	t.ask(method, "key-json-number", genesisBox, []any{1}, "latest")
	t.ask(method, "key-bad-comes-before-block-unknown", genesisBox, []string{"0xzz"}, quantity(head+1))
	t.ask(method, "keys-1024", unknownAddress, keys(1024), "0x0")
	t.ask(method, "keys-1025", genesisBox, keys(1025), "latest")
	t.ask(method, "keys-1025-come-before-a-bad-one", genesisBox, append(keys(1024), "0xzz"), "latest")
	t.ask(method, "keys-null", genesisBox, nil, "latest")
	t.ask(method, "keys-string", genesisBox, "0x1", "latest")
	t.ask(method, "keys-object", genesisBox, object{}, "latest")
	t.ask(method, "keys-missing", genesisBox)
	t.ask(method, "address-too-short", "0x12", none, "latest")
	// blocks
	t.ask(method, "block-missing-means-latest", genesisBox, []string{"0x2"})
	t.ask(method, "block-null-means-latest", genesisBox, []string{"0x2"}, nil)
	t.ask(method, "block-by-hash", token, []any{balance}, object{"blockHash": t.hashOf(50)})
	t.ask(method, "block-of-the-losing-branch", token, []any{balance}, t.side[1].Hash())
	t.ask(method, "block-past-the-head", token, []any{balance}, quantity(head+1))
	t.ask(method, "block-hash-unknown", token, []any{balance}, unknownHash)
	for _, tag := range []string{"earliest", "safe", "finalized"} {
		t.ask(method, "block-tag-"+tag, token, []any{balance}, tag)
	}
}

// keys are the first slots.
func keys(count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = quantity(uint64(i))
	}
	return list
}
