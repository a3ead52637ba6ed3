// Command grown continues a directory with the code of geth 1.10.26: blocks 81 to 120, Berlin from 90 and London from 95 on, the
// freezer up to block 95. Then it writes what this release reads of all blocks to expected.json. See ../make.mjs.
package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	path := os.Args[1] + "/geth/chaindata"
	db, err := rawdb.NewLevelDBDatabaseWithFreezer(path, 16, 16, path+"/ancient", "", false)
	must(err)
	key, _ := crypto.ToECDSA(common.FromHex("0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"))
	from := crypto.PubkeyToAddress(key.PublicKey)
	config := &params.ChainConfig{
		ChainID: big.NewInt(20771), HomesteadBlock: big.NewInt(0), EIP150Block: big.NewInt(0), EIP155Block: big.NewInt(5),
		EIP158Block: big.NewInt(5), ByzantiumBlock: big.NewInt(20), ConstantinopleBlock: big.NewInt(30), Ethash: new(params.EthashConfig),
		PetersburgBlock: big.NewInt(45), IstanbulBlock: big.NewInt(50), BerlinBlock: big.NewInt(90), LondonBlock: big.NewInt(95),
	}
	genesis := &core.Genesis{Config: config, GasLimit: 8000000, Difficulty: big.NewInt(131072), Timestamp: 1500000000,
		Alloc: core.GenesisAlloc{from: {Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil)}}}
	_, _, err = core.SetupGenesisBlock(db, genesis)
	must(err)
	engine := ethash.NewFaker()
	limit := uint64(0)
	chain, err := core.NewBlockChain(db, &core.CacheConfig{TrieDirtyDisabled: true, TrieCleanLimit: 16, SnapshotLimit: 0}, config, engine, vm.Config{}, nil, &limit)
	must(err)
	start := int(chain.CurrentBlock().NumberU64())
	blocks, _ := core.GenerateChain(config, chain.CurrentBlock(), engine, db, 40, func(i int, g *core.BlockGen) {
		signer := types.MakeSigner(config, g.Number())
		send := func(tx *types.Transaction) {
			signed, err := types.SignTx(tx, signer, key)
			must(err)
			g.AddTx(signed)
		}
		i += start
		nonce := func() uint64 { return g.TxNonce(from) }
		price := big.NewInt(2e9)
		if i%10 == 0 {
			send(types.NewContractCreation(nonce(), big.NewInt(0), 200000, price, common.FromHex("6960aa60bb60206000a200600052600a6016f3")))
		}
		for k := 0; k <= i%3; k++ {
			send(types.NewTransaction(nonce(), common.BigToAddress(big.NewInt(int64(100+i))), big.NewInt(int64(1+k)), 21000, price, nil))
		}
		if i%4 == 1 {
			gas := uint64(60000)
			if i%8 == 5 {
				gas = 21400
			}
			send(types.NewTransaction(nonce(), crypto.CreateAddress(from, 0), big.NewInt(0), gas, price, []byte{byte(i)}))
		}
		if i >= 90 && i%2 == 0 {
			to := crypto.CreateAddress(from, 0)
			send(types.NewTx(&types.AccessListTx{ChainID: config.ChainID, Nonce: nonce(), GasPrice: price, Gas: 70000, To: &to, Value: new(big.Int), AccessList: types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}}}}}))
			if i >= 95 {
				send(types.NewTx(&types.DynamicFeeTx{ChainID: config.ChainID, Nonce: nonce(), GasTipCap: big.NewInt(1e8), GasFeeCap: big.NewInt(3e9), Gas: 70000, To: &to, Value: new(big.Int)}))
			}
		}
	})
	n, err := chain.InsertChain(blocks)
	if err != nil {
		panic(fmt.Sprint(n, err))
	}
	chain.Stop()
	must(db.(interface{ Freeze(uint64) error }).Freeze(25))

	type row struct {
		Number   uint64           `json:"number"`
		Header   *types.Header    `json:"header"`
		TD       string           `json:"totalDifficulty"`
		Receipts types.Receipts   `json:"receipts"`
		Lookups  []*uint64        `json:"lookups"`
		Uncles   int              `json:"uncles"`
		From     []common.Address `json:"from"`
	}
	out := []row{}
	for n := uint64(0); n <= 120; n++ {
		hash := rawdb.ReadCanonicalHash(db, n)
		block := rawdb.ReadBlock(db, hash, n)
		r := row{Number: n, Header: block.Header(), TD: rawdb.ReadTd(db, hash, n).String(), Receipts: rawdb.ReadReceipts(db, hash, n, config), Lookups: []*uint64{}, Uncles: len(block.Uncles())}
		for _, tx := range block.Transactions() {
			r.Lookups = append(r.Lookups, rawdb.ReadTxLookupEntry(db, tx.Hash()))
			sender, _ := types.Sender(types.MakeSigner(config, block.Number()), tx)
			r.From = append(r.From, sender)
		}
		out = append(out, r)
	}
	text, err := json.Marshal(out)
	must(err)
	must(os.WriteFile(os.Args[1]+"/expected.json", text, 0644))
	db.Close()
	fmt.Println("head", blocks[len(blocks)-1].NumberU64())
}
