// Command grown makes a directory with the code of geth 1.8.27: blocks 1 to 40, all in LevelDB. Receipts and entries of
// transactions have the forms of geth 1.8. See ../make.mjs.
package main

import (
	"fmt"
	"math/big"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	db, err := ethdb.NewLDBDatabase(os.Args[1]+"/geth/chaindata", 16, 16)
	must(err)
	key, _ := crypto.ToECDSA(common.FromHex("0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"))
	from := crypto.PubkeyToAddress(key.PublicKey)
	config := &params.ChainConfig{
		ChainID: big.NewInt(20771), HomesteadBlock: big.NewInt(0), EIP150Block: big.NewInt(0), EIP155Block: big.NewInt(5),
		EIP158Block: big.NewInt(5), ByzantiumBlock: big.NewInt(20), ConstantinopleBlock: big.NewInt(30), Ethash: new(params.EthashConfig),
	}
	genesis := &core.Genesis{Config: config, GasLimit: 8000000, Difficulty: big.NewInt(131072), Timestamp: 1500000000,
		Alloc: core.GenesisAlloc{from: {Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil)}}}
	_, _, err = core.SetupGenesisBlock(db, genesis)
	must(err)
	engine := ethash.NewFaker()
	chain, err := core.NewBlockChain(db, &core.CacheConfig{Disabled: true}, config, engine, vm.Config{}, nil)
	must(err)
	blocks, _ := core.GenerateChain(config, chain.Genesis(), engine, db, 40, func(i int, g *core.BlockGen) {
		signer := types.MakeSigner(config, g.Number())
		send := func(tx *types.Transaction) {
			signed, err := types.SignTx(tx, signer, key)
			must(err)
			g.AddTx(signed)
		}
		nonce := func() uint64 { return g.TxNonce(from) }
		if i%10 == 0 {
			send(types.NewContractCreation(nonce(), big.NewInt(0), 200000, big.NewInt(1e9), common.FromHex("6960aa60bb60206000a200600052600a6016f3")))
		}
		for k := 0; k <= i%3; k++ {
			send(types.NewTransaction(nonce(), common.BigToAddress(big.NewInt(int64(100+i))), big.NewInt(int64(1+k)), 21000, big.NewInt(1e9), nil))
		}
		if i%4 == 1 {
			// The first contract, which logs; every second time with too little gas.
			gas := uint64(60000)
			if i%8 == 5 {
				gas = 21400
			}
			send(types.NewTransaction(nonce(), crypto.CreateAddress(from, 0), big.NewInt(0), gas, big.NewInt(1e9), []byte{byte(i)}))
		}
		if i == 12 {
			grand := g.PrevBlock(i - 2).Header()
			time := grand.Time + 9
			g.AddUncle(&types.Header{ParentHash: grand.Hash(), Number: new(big.Int).Add(grand.Number, big.NewInt(1)), Time: time, GasLimit: 8000000, UncleHash: types.EmptyUncleHash, TxHash: types.EmptyRootHash, ReceiptHash: types.EmptyRootHash, Difficulty: ethash.CalcDifficulty(config, time, grand)})
		}
	})
	n, err := chain.InsertChain(blocks)
	if err != nil {
		panic(fmt.Sprint(n, err))
	}
	chain.Stop()
	db.Close()
	fmt.Println("head", blocks[len(blocks)-1].NumberU64())
}
