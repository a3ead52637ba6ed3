// What happens in which block of the chains rich and shanghai.

package main

import (
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
)

var (
	secp256k1Order, _ = new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)

	emptyAccount   = common.HexToAddress("0x00000000000000000000000000000000000e3977")
	createTwoSalt  = common.HexToHash("0x5a17")
	pingTopic      = eventTopic("Ping(uint256)")
	depositTopic   = eventTopic("DepositEvent(bytes,bytes,bytes,bytes,bytes)")
	mortalInitCode = deployer(mortalCode())
)

// bystander is an address without a key that receives money and tokens.
func bystander(i int) common.Address {
	var address common.Address
	copy(address[:], crypto.Keccak256([]byte(fmt.Sprintf("bystander %d", i))))
	return address
}

// The contracts' calls.
func tokenTransfer(to common.Address, amount int) []byte {
	return join(selector("transfer(address,uint256)"), word(to), word(amount))
}

func tokenMint(to common.Address, amount int) []byte {
	return join(selector("mint(address,uint256)"), word(to), word(amount))
}

func logData(data []byte, topics ...common.Hash) []byte {
	out := []byte{byte(len(topics))}
	for _, topic := range topics {
		out = append(out, topic[:]...)
	}
	return append(out, data...)
}

func fail(way int, argument ...[]byte) []byte {
	return join(append([][]byte{{byte(way)}}, argument...)...)
}

func factoryCall(salted bool, salt common.Hash, initCode []byte) []byte {
	first := byte(0)
	if salted {
		first = 1
	}
	return join([]byte{first}, salt[:], initCode)
}

func proxyCall(way int, target common.Address, data []byte) []byte {
	return join([]byte{byte(way)}, word(target), data)
}

// depositEvent is the data of the deposit contract's event, as EIP-6110 parses it.
func depositEvent(fill byte) []byte {
	part := func(length int) []byte {
		bytes := make([]byte, length)
		for i := range bytes {
			bytes[i] = fill
		}
		return append(word(length), common.RightPadBytes(bytes, (length+31)/32*32)...)
	}
	return join(word(160), word(256), word(320), word(384), word(512), part(48), part(32), part(8), part(96), part(8))
}

// script fills each block: what its number asks for, then a little ordinary traffic.
func script(m *blockMaker) {
	events := m.events()
	if fill, special := events[m.number]; special {
		fill()
		return
	}
	m.burn()
	m.withdraw()
	if m.number%11 == 0 {
		return // an empty block
	}
	for i := m.random.Intn(3); i >= 0; i-- {
		m.ordinary()
	}
}

// events are what happens in named blocks instead of ordinary traffic.
func (m *blockMaker) events() map[uint64]func() {
	var (
		forks     = m.chain.forks
		accounts  = m.chain.accounts
		contracts = m.chain.contracts
		a, b, c   = accounts[0], accounts[1], accounts[2]
		contract  = func(name string) *common.Address { return to(contracts[name]) }
		events    = map[uint64]func(){}
		after     = func(fork uint64, blocks uint64, fill func()) {
			if fork != 0 {
				events[fork+blocks] = fill
			}
		}
	)
	events[1] = func() {
		m.deploy("token", unprotected, a, tokenCode("Fixture Token", "FIX"))
		m.deploy("logger", unprotected, b, loggerCode())
	}
	events[2] = func() {
		m.deploy("box", unprotected, a, boxCode())
		m.deploy("failer", unprotected, b, failerCode())
		m.deploy("probe", unprotected, c, probeCode())
	}
	events[3] = func() {
		m.deploy("factory", unprotected, a, factoryCode())
		m.deploy("proxy", unprotected, b, proxyCode())
		m.deploy("burst", unprotected, c, burstCode())
		for i, holder := range accounts {
			name := ""
			if i == 0 {
				name = "token-mint"
			}
			m.send(name, unprotected, a, call{to: contract("token"), gas: 120_000, data: tokenMint(holder.address, 1_000_000)})
		}
	}
	events[4] = func() {
		m.highS("frontier-high-s-signature", a, bystander(0))
		m.send("frontier-transfer", unprotected, b, call{to: to(bystander(1)), gas: 21_000, value: big.NewInt(ether)})
		// calls nobody with nothing: leaves an empty account behind under the old rules
		m.send("frontier-empty-account-made", unprotected, c, call{to: &emptyAccount, gas: 30_000})
	}
	events[5] = func() {
		// enough for the execution, not for the code: Frontier makes a contract without code
		m.send("frontier-creation-without-deposit", unprotected, a, call{gas: 30_000, data: deployer(boxCode())})
		m.send("frontier-invalid-opcode", unprotected, b, call{to: contract("failer"), gas: 50_000, data: fail(4)})
		m.send("frontier-token-transfer", unprotected, c, call{to: contract("token"), gas: 120_000, data: tokenTransfer(a.address, 5)})
	}
	for topics := 0; topics <= 4; topics++ {
		list := []common.Hash{pingTopic, common.HexToHash("0x01"), common.HexToHash("0x02"), common.HexToHash("0x03")}[:topics]
		events[6] = chainEvents(events[6], func() {
			m.send(fmt.Sprintf("log-with-%d-topics", topics), unprotected, b,
				call{to: contract("logger"), gas: 120_000, data: logData([]byte("data of a log, longer than a word by some")[:topics*10], list...)})
		})
	}
	after(forks.homestead, 1, func() {
		m.send("homestead-creation-out-of-gas", unprotected, a, call{gas: 62_000, data: deployer(boxCode())})
		m.deploy("token2", unprotected, b, tokenCode("Second Token", "SEC"))
	})
	after(forks.homestead, 2, func() { m.uncles(1); m.ordinary() })
	after(forks.tangerine, 1, func() {
		address := crypto.CreateAddress(a.address, m.TxNonce(a.address))
		m.send("mortal-created", unprotected, a, call{gas: 300_000, value: big.NewInt(12345), data: mortalInitCode})
		contracts["mortal"] = address
		m.send("mortal-stores", unprotected, a, call{to: &address, gas: 90_000, data: join(word(7), word(77))})
	})
	after(forks.tangerine, 3, func() {
		m.send("mortal-destroyed", unprotected, a, call{to: contract("mortal"), gas: 90_000, data: word(bystander(2))})
	})
	after(forks.spurious, 1, func() {
		m.send("spurious-first-protected", protected, a, call{to: to(bystander(3)), gas: 21_000, value: big.NewInt(gwei)})
		m.send("spurious-still-unprotected", unprotected, b, call{to: to(bystander(3)), gas: 21_000, value: big.NewInt(gwei)})
		m.send("spurious-empty-account-cleared", protected, c, call{to: &emptyAccount, gas: 30_000})
	})
	after(forks.byzantium, 1, func() {
		m.send("byzantium-revert-with-reason", protected, a, call{to: contract("failer"), gas: 90_000, data: fail(1)})
		m.send("byzantium-revert-through-proxy", protected, b, call{to: contract("proxy"), gas: 120_000,
			data: proxyCall(0, contracts["failer"], fail(2, word(0x11)))})
		m.send("byzantium-delegatecall-log", protected, c, call{to: contract("proxy"), gas: 120_000,
			data: proxyCall(1, contracts["logger"], logData([]byte{1, 2, 3}, pingTopic))})
	})
	after(forks.byzantium, 3, func() { m.uncles(2) })
	after(forks.constantinople, 1, func() {
		m.send("create2-first", protected, a, call{to: contract("factory"), gas: 300_000, data: factoryCall(true, createTwoSalt, mortalInitCode)})
		contracts["phoenix"] = crypto.CreateAddress2(contracts["factory"], createTwoSalt, crypto.Keccak256(mortalInitCode))
		m.send("create2-stores", protected, b, call{to: contract("phoenix"), gas: 90_000, data: join(word(1), word(11))})
	})
	after(forks.constantinople, 2, func() {
		m.send("create2-destroyed", protected, a, call{to: contract("phoenix"), gas: 90_000, data: word(bystander(2))})
	})
	after(forks.constantinople, 3, func() {
		m.send("create2-again", protected, a, call{to: contract("factory"), gas: 300_000, data: factoryCall(true, createTwoSalt, mortalInitCode)})
		m.send("create2-stores-elsewhere", protected, b, call{to: contract("phoenix"), gas: 90_000, data: join(word(2), word(22))})
	})
	after(forks.istanbul, 1, func() {
		m.send("burst-of-40-logs", protected, a, call{to: contract("burst"), gas: 200_000, data: join(word(40), word(pingTopic))})
		m.send("log-with-long-data", protected, b, call{to: contract("logger"), gas: 300_000, data: logData(make([]byte, 1500), pingTopic)})
		m.send("burst-after-others", protected, c, call{to: contract("burst"), gas: 200_000, data: join(word(3), word(eventTopic("Pong(uint256)")))})
	})
	after(forks.berlin, 1, func() {
		m.send("berlin-access-list", accessList, a, call{to: contract("box"), gas: 120_000, data: join(word(3), word(33)),
			access: types.AccessList{
				{Address: contracts["box"], StorageKeys: []common.Hash{word3(3), word3(4)}},
				{Address: contracts["token"]}}})
		m.send("berlin-access-list-creation", accessList, b, call{gas: 200_000, data: deployer([]byte{0})})
		m.send("berlin-empty-access-list", accessList, c, call{to: to(bystander(4)), gas: 30_000, value: big.NewInt(1)})
	})
	after(forks.london, 0, func() { m.uncles(1); m.ordinary() })
	after(forks.london, 1, func() {
		m.send("london-dynamic-fee", dynamicFee, a, call{to: contract("token"), gas: 120_000, data: tokenTransfer(b.address, 7),
			access: types.AccessList{{Address: contracts["token"], StorageKeys: []common.Hash{mapSlot(a.address[:], nil)}}}})
		m.send("london-tip-cut-by-cap", dynamicFee, b, call{to: to(bystander(5)), gas: 30_000, value: big.NewInt(1),
			gasPrice: new(big.Int).Add(m.BaseFee(), common.Big1), tip: new(big.Int).Add(m.BaseFee(), common.Big1)})
		m.send("london-no-tip", dynamicFee, c, call{to: to(bystander(5)), gas: 30_000, value: big.NewInt(1), tip: new(big.Int)})
		m.send("london-code-begins-with-ef", dynamicFee, a, call{gas: 100_000, data: deployer([]byte{0xef, 0})})
		m.send("london-dynamic-creation", dynamicFee, b, call{gas: 200_000, value: big.NewInt(5), data: deployer(boxCode())})
	})
	after(forks.london, 3, func() {
		m.send("london-uses-most-of-the-gas", dynamicFee, a, call{to: contract("failer"), gas: m.header.GasLimit / 100 * 99, data: fail(4)})
	})
	after(forks.merge, 0, func() {
		m.send("merge-first-transaction", dynamicFee, a, call{to: contract("logger"), gas: 90_000, data: logData([]byte("merged"), pingTopic)})
	})
	after(forks.shanghai, 0, func() {
		m.send("shanghai-first-transaction", dynamicFee, a, call{to: to(bystander(6)), gas: 30_000, value: big.NewInt(1)})
		m.AddWithdrawal(&types.Withdrawal{Validator: 1, Address: bystander(6), Amount: 1})
	})
	after(forks.shanghai, 1, func() {
		for i := 0; i < 16; i++ {
			m.AddWithdrawal(&types.Withdrawal{Validator: uint64(i), Address: bystander(i), Amount: uint64(i) * gwei})
		}
	})
	after(forks.shanghai, 2, func() {
		m.send("shanghai-deploys-push0", dynamicFee, b, call{gas: 100_000, data: deployer([]byte{0x5f, 0x5f, 0xf3})})
		m.send("token-approve", dynamicFee, a, call{to: contract("token"), gas: 120_000,
			data: join(selector("approve(address,uint256)"), word(b.address), word(500))})
		m.send("token-transfer-from", dynamicFee, b, call{to: contract("token"), gas: 120_000,
			data: join(selector("transferFrom(address,address,uint256)"), word(a.address), word(c.address), word(200))})
		m.send("token-transfer-refused", dynamicFee, c, call{to: contract("token"), gas: 120_000, data: tokenTransfer(a.address, 1<<40)})
	})
	if forks.prague == 0 {
		after(forks.shanghai, 20, m.crowd)
	}
	after(forks.cancun, 1, func() {
		m.send("cancun-one-blob", blob, a, call{to: contract("logger"), gas: 120_000, data: logData([]byte("blob"), pingTopic), blobs: 1})
		m.send("cancun-failing-blob", blob, c, call{to: contract("failer"), gas: 120_000, data: fail(1), blobs: 2})
		m.send("cancun-mortal-keeps-living", dynamicFee, b, call{to: contract("phoenix"), gas: 90_000, data: word(bystander(2))})
	})
	after(forks.cancun, 2, func() {
		// made and destroyed in one transaction: gone even under the new rule
		m.send("cancun-created-and-destroyed", dynamicFee, a, call{gas: 200_000, value: big.NewInt(9), data: assemble("0x51de SELFDESTRUCT")})
	})
	m.blobRun(after, forks.cancun, 4, 9, 6, "cancun")
	after(forks.prague, 1, func() {
		delegate := accounts[8]
		m.send("prague-delegates-itself", setCode, delegate, call{to: &delegate.address, gas: 200_000,
			data:  logData([]byte("delegated"), pingTopic),
			auths: []types.SetCodeAuthorization{m.authorize(delegate, contracts["logger"], chainID, m.TxNonce(delegate.address)+1)}})
	})
	after(forks.prague, 2, func() {
		m.send("prague-calls-delegated", dynamicFee, a, call{to: &accounts[8].address, gas: 120_000, data: logData(nil, pingTopic, common.HexToHash("0x08"))})
		// a second account for any chain, a third that is refused (wrong chain), a fourth with the wrong nonce
		m.send("prague-three-authorizations", setCode, b, call{to: &accounts[9].address, gas: 300_000, data: join(word(5), word(55)),
			access: types.AccessList{{Address: accounts[9].address}},
			auths: []types.SetCodeAuthorization{
				m.authorize(accounts[9], contracts["box"], 0, m.TxNonce(accounts[9].address)),
				m.authorize(accounts[10], contracts["box"], 99, m.TxNonce(accounts[10].address)),
				m.authorize(accounts[11], contracts["box"], chainID, 999)}})
	})
	after(forks.prague, 3, func() {
		m.send("prague-delegation-removed", setCode, a, call{to: to(bystander(7)), gas: 200_000, value: big.NewInt(3),
			auths: []types.SetCodeAuthorization{m.authorize(accounts[8], common.Address{}, chainID, m.TxNonce(accounts[8].address))}})
	})
	after(forks.prague, 4, func() {
		validator := make([]byte, 48)
		validator[0] = 0xb1
		m.send("prague-withdrawal-request", dynamicFee, a, call{to: to(params.WithdrawalQueueAddress), gas: 300_000,
			value: big.NewInt(10), data: join(validator, binary.BigEndian.AppendUint64(nil, 7))})
		m.send("prague-consolidation-request", dynamicFee, b, call{to: to(params.ConsolidationQueueAddress), gas: 300_000,
			value: big.NewInt(10), data: join(validator, validator)})
		m.send("prague-deposit-event", dynamicFee, c, call{to: to(depositAddress), gas: 300_000, data: logData(depositEvent(0xd1), depositTopic)})
	})
	after(forks.prague, 5, func() {
		// the authorization stays though the transaction itself fails
		m.send("prague-failing-set-code", setCode, b, call{to: &accounts[10].address, gas: 200_000, data: fail(1),
			auths: []types.SetCodeAuthorization{m.authorize(accounts[10], contracts["failer"], chainID, m.TxNonce(accounts[10].address))}})
		m.send("prague-blobs", blob, c, call{to: to(bystander(8)), gas: 30_000, blobs: 6})
	})
	m.blobRun(after, forks.prague, 6, 5, 9, "prague")
	after(forks.prague, 20, m.crowd)
	after(forks.osaka, 1, func() {
		m.send("osaka-count-leading-zeros", dynamicFee, a, call{to: contract("probe"), gas: 60_000, data: probe("clz", word(255))})
		m.send("osaka-most-gas-allowed", dynamicFee, b, call{to: to(bystander(8)), gas: 1 << 24, value: big.NewInt(1)})
	})
	m.blobRun(after, forks.osaka, 3, 8, 9, "osaka")
	m.blobRun(after, forks.bpo1, 1, 6, 15, "bpo1")
	m.blobRun(after, forks.bpo2, 1, 6, 21, "bpo2")
	return events
}

func word3(value int64) common.Hash { return common.BigToHash(big.NewInt(value)) }

func chainEvents(first, second func()) func() {
	if first == nil {
		return second
	}
	return func() { first(); second() }
}
