// Command daofork makes testdata/chains/dao-fork.json: two short chains over the block of the DAO fork, as geth's own code makes
// them. In `homestead` accounts that are emptied stay, in `spurious` they are deleted.
//
//	go run ./daofork    in testdata/generate
package main

import (
	"encoding/json"
	"math/big"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// chain is a genesis state and blocks with their headers as RLP.
type chain struct {
	Name    string                          `json:"name"`
	Config  *params.ChainConfig             `json:"config"`
	Alloc   map[common.Address]*hexutil.Big `json:"alloc"`
	Genesis hexutil.Bytes                   `json:"genesis"`
	Blocks  []hexutil.Bytes                 `json:"blocks"`
}

func main() {
	chains := []chain{
		make14("homestead", &params.ChainConfig{}),
		make14("spurious", &params.ChainConfig{EIP150Block: big.NewInt(3), EIP155Block: big.NewInt(3), EIP158Block: big.NewInt(3)}),
	}
	text, err := json.MarshalIndent(chains, "", " ")
	check(err)
	check(os.WriteFile("../chains/dao-fork.json", append(text, '\n'), 0o644))
}

// make14 makes fourteen blocks; the third one is the first of the fork.
func make14(name string, config *params.ChainConfig) chain {
	config.ChainID = big.NewInt(20771)
	config.HomesteadBlock = new(big.Int)
	config.DAOForkBlock = big.NewInt(3)
	config.DAOForkSupport = true
	config.Ethash = new(params.EthashConfig)
	key, err := crypto.HexToECDSA("b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291")
	check(err)
	from := crypto.PubkeyToAddress(key.PublicKey)
	drained := params.DAODrainList()
	balances := map[common.Address]int64{from: params.Ether, drained[0]: 1_000, drained[7]: 5, drained[115]: 123_456_789}
	alloc := types.GenesisAlloc{}
	out := chain{Name: name, Config: config, Alloc: map[common.Address]*hexutil.Big{}}
	for address, balance := range balances {
		alloc[address] = types.Account{Balance: big.NewInt(balance)}
		out.Alloc[address] = (*hexutil.Big)(big.NewInt(balance))
	}
	genesis := &core.Genesis{Config: config, Alloc: alloc, GasLimit: 4_700_000, Difficulty: big.NewInt(131_072)}
	_, blocks, _ := core.GenerateChainWithGenesis(genesis, ethash.NewFaker(), 14, func(i int, b *core.BlockGen) {
		b.SetCoinbase(common.Address{0xc0})
		// An account that the fork empties gets ether in the block of the fork and after it.
		tx := types.NewTransaction(b.TxNonce(from), drained[i%9], big.NewInt(int64(i)), 21_000, big.NewInt(1), nil)
		signed, err := types.SignTx(tx, types.HomesteadSigner{}, key)
		check(err)
		b.AddTx(signed)
	})
	out.Genesis = encode(genesis.ToBlock().Header())
	for _, block := range blocks {
		out.Blocks = append(out.Blocks, encode(block))
	}
	return out
}

func encode(value any) hexutil.Bytes {
	bytes, err := rlp.EncodeToBytes(value)
	check(err)
	return bytes
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
