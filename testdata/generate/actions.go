// Things that blocks of several chains do: ordinary traffic, blobs, uncles, a crowd.

package main

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// burn keeps the base fee from sinking to nothing: a transaction that fails at once and uses most of the block's gas.
func (m *blockMaker) burn() {
	if m.has(m.chain.forks.london) && m.header.BaseFee.Cmp(big.NewInt(gwei/2)) < 0 {
		failer := m.chain.contracts["failer"]
		m.send("", dynamicFee, m.anyAccount(), call{to: &failer, gas: m.header.GasLimit / 8 * 7, data: fail(4)})
	}
}

func (m *blockMaker) withdraw() {
	if !m.has(m.chain.forks.shanghai) || m.number%4 == 1 {
		return
	}
	for i := 0; i < int(m.number%4); i++ {
		m.AddWithdrawal(&types.Withdrawal{Validator: uint64(1000 + m.random.Intn(50)),
			Address: bystander(m.random.Intn(20)), Amount: uint64(m.random.Int63n(32 * gwei))})
	}
}

// ordinary adds one transaction of everyday kind.
func (m *blockMaker) ordinary() {
	from, kind, contracts := m.anyAccount(), m.anyKind(), m.chain.contracts
	receiver := bystander(m.random.Intn(20))
	if m.random.Intn(2) == 0 {
		receiver = m.anyAccount().address
	}
	token, logger, box, failer := contracts["token"], contracts["logger"], contracts["box"], contracts["failer"]
	switch m.random.Intn(12) {
	case 0, 1, 2:
		m.send("", kind, from, call{to: &receiver, gas: 60_000, value: big.NewInt(m.random.Int63n(ether))})
	case 3, 4, 5:
		m.send("", kind, from, call{to: &token, gas: 120_000, data: tokenTransfer(receiver, m.random.Intn(1000))})
	case 6, 7:
		topics := make([]common.Hash, m.random.Intn(5))
		for i := range topics {
			topics[i] = common.BigToHash(big.NewInt(int64(m.random.Intn(8))))
		}
		data := make([]byte, m.random.Intn(70))
		m.random.Read(data)
		m.send("", kind, from, call{to: &logger, gas: 120_000, data: logData(data, topics...)})
	case 8:
		slot, value := m.random.Intn(12), m.random.Intn(4)*m.random.Intn(1<<20) // often zero: a slot is cleared
		m.send("", kind, from, call{to: &box, gas: 120_000, data: join(word(slot), word(value))})
	case 9:
		m.send("", kind, from, call{to: &failer, gas: 80_000, data: fail(m.random.Intn(4), word(m.random.Intn(60)))})
	case 10:
		m.send("", kind, from, call{gas: 200_000, data: deployer([]byte{0x60, byte(m.number), 0x60, 0, 0x52, 0x60, 0x20, 0x60, 0, 0xf3})})
	case 11:
		if other, ok := contracts["token2"]; ok {
			m.send("", kind, from, call{to: &other, gas: 120_000, data: tokenMint(receiver, m.random.Intn(1000)+1)})
		}
	}
}

// blobRun fills count blocks with the given number of blobs each, so that the blob price rises.
func (m *blockMaker) blobRun(after func(uint64, uint64, func()), fork, first, count uint64, blobs int, name string) {
	for i := uint64(0); i < count; i++ {
		after(fork, first+i, func() {
			for left, j := blobs, 0; left > 0; j++ {
				size := min(left, 6)
				left -= size
				m.send(fmt.Sprintf("%s-blobs-%d-%d", name, i, j), blob, m.anyAccount(),
					call{to: to(bystander(m.random.Intn(20))), gas: 30_000, blobs: size})
			}
		})
	}
}

func (m *blockMaker) authorize(from account, target common.Address, chain uint64, nonce uint64) types.SetCodeAuthorization {
	auth, err := types.SignSetCode(from.key, types.SetCodeAuthorization{ChainID: *uint256.NewInt(chain), Address: target, Nonce: nonce})
	if err != nil {
		panic(err)
	}
	return auth
}

// highS sends a transaction whose signature has the higher of the two possible s values; Frontier allowed it.
func (m *blockMaker) highS(name string, from account, receiver common.Address) {
	tx := types.MustSignNewTx(from.key, types.FrontierSigner{}, &types.LegacyTx{Nonce: m.TxNonce(from.address),
		GasPrice: m.price(), Gas: 21_000, To: &receiver, Value: big.NewInt(ether)})
	v, r, s := tx.RawSignatureValues()
	turned := &types.LegacyTx{Nonce: tx.Nonce(), GasPrice: tx.GasPrice(), Gas: tx.Gas(), To: tx.To(), Value: tx.Value(),
		V: new(big.Int).Sub(big.NewInt(27+28), v), R: r, S: new(big.Int).Sub(secp256k1Order, s)}
	m.AddTx(m.note(name, types.NewTx(turned)))
}

// uncles adds made-up siblings of the parent block.
func (m *blockMaker) uncles(count int) {
	for i := 0; i < count; i++ {
		parent := m.PrevBlock(int(m.number) - 4 - i) // the block before the uncle
		m.AddUncle(&types.Header{
			ParentHash:  parent.Hash(),
			Number:      new(big.Int).Add(parent.Number(), common.Big1),
			UncleHash:   types.EmptyUncleHash,
			TxHash:      types.EmptyTxsHash,
			ReceiptHash: types.EmptyReceiptsHash,
			Root:        m.hash(),
			Coinbase:    bystander(i),
			Extra:       []byte("uncle"),
			MixDigest:   m.hash(),
		})
	}
}

// crowd fills the block with 224 small transactions of every ordinary kind.
func (m *blockMaker) crowd() {
	token, logger := m.chain.contracts["token"], m.chain.contracts["logger"]
	for i := 0; i < 224; i++ {
		from, kind := m.chain.accounts[i%len(m.chain.accounts)], m.anyKind()
		switch {
		case i%4 == 1:
			m.send("", kind, from, call{to: &token, gas: 70_000, data: tokenTransfer(bystander(i%20), i)})
		case i%8 == 2:
			m.send("", kind, from, call{to: &logger, gas: 70_000, data: logData(nil, pingTopic, word3(int64(i)))})
		default:
			m.send("", kind, from, call{to: to(bystander(i % 20)), gas: 21_000 + uint64(i)*5 + 10_000, value: big.NewInt(int64(i))})
		}
	}
}
