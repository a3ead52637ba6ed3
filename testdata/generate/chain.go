// A chain under construction: accounts, forks, genesis, and a block maker that signs and executes transactions.

package main

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"os"
	"reflect"
	"unsafe"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

const (
	chainID     = 20771
	genesisTime = 1_700_000_000
	gwei        = 1_000_000_000
	ether       = gwei * gwei
)

// account is an externally owned account with a key derived from its name.
type account struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

func newAccount(name string) account {
	seed := sha256.Sum256([]byte("geth-reader fixture account " + name))
	key, err := crypto.ToECDSA(seed[:])
	if err != nil {
		panic(err)
	}
	return account{key, crypto.PubkeyToAddress(key.PublicKey)}
}

// forkSchedule says at which block each fork starts; forks by time get that block's time. Zero means never, apart
// from the first rules, which hold from block 0.
type forkSchedule struct {
	homestead, tangerine, spurious, byzantium, constantinople, petersburg, istanbul, muirGlacier, berlin, london,
	arrowGlacier, grayGlacier, merge, shanghai, cancun, prague, osaka, bpo1, bpo2 uint64
}

// blockTime is ten seconds after the parent, but 22 (a missed slot) for numbers ending in 7. Forks must not start there.
func blockTime(number uint64) uint64 {
	return genesisTime + 10*number + 12*((number+3)/10)
}

func (s forkSchedule) config() *params.ChainConfig {
	block := func(number uint64) *big.Int {
		if number == 0 {
			return nil
		}
		return new(big.Int).SetUint64(number)
	}
	time := func(number uint64) *uint64 {
		if number == 0 {
			return nil
		}
		t := blockTime(number)
		return &t
	}
	config := &params.ChainConfig{
		ChainID:             big.NewInt(chainID),
		HomesteadBlock:      block(s.homestead),
		EIP150Block:         block(s.tangerine),
		EIP155Block:         block(s.spurious),
		EIP158Block:         block(s.spurious),
		ByzantiumBlock:      block(s.byzantium),
		ConstantinopleBlock: block(s.constantinople),
		PetersburgBlock:     block(s.petersburg),
		IstanbulBlock:       block(s.istanbul),
		MuirGlacierBlock:    block(s.muirGlacier),
		BerlinBlock:         block(s.berlin),
		LondonBlock:         block(s.london),
		ArrowGlacierBlock:   block(s.arrowGlacier),
		GrayGlacierBlock:    block(s.grayGlacier),
		MergeNetsplitBlock:  block(s.merge),
		ShanghaiTime:        time(s.shanghai),
		CancunTime:          time(s.cancun),
		PragueTime:          time(s.prague),
		OsakaTime:           time(s.osaka),
		BPO1Time:            time(s.bpo1),
		BPO2Time:            time(s.bpo2),
		// set once the difficulty of the last proof-of-work block is known; any value does while generating
		TerminalTotalDifficulty: big.NewInt(math.MaxInt64),
		Ethash:                  new(params.EthashConfig),
	}
	if s.cancun != 0 {
		// the usual numbers of blobs, but a quarter of the usual fractions, so that the price moves within a few blocks
		config.BlobScheduleConfig = &params.BlobScheduleConfig{
			Cancun: &params.BlobConfig{Target: 3, Max: 6, UpdateFraction: 800_000},
			Prague: &params.BlobConfig{Target: 6, Max: 9, UpdateFraction: 1_200_000},
			BPO1:   &params.BlobConfig{Target: 10, Max: 15, UpdateFraction: 2_000_000},
			BPO2:   &params.BlobConfig{Target: 14, Max: 21, UpdateFraction: 2_900_000},
		}
	}
	if s.prague != 0 {
		config.DepositContractAddress = depositAddress
	}
	return config
}

// depositAddress holds a logger from genesis on, so that a transaction can make the deposit event of EIP-6110.
var depositAddress = common.HexToAddress("0x00000000000000000000000000000000de905170")

// chain collects what a generated chain consists of and what in it is worth naming.
type chain struct {
	name     string
	forks    forkSchedule
	plain    bool // headers are as equal as can be, so that a long chain packs well
	genesis  *core.Genesis
	blocks   []*types.Block // blocks[i] has number i+1
	receipts []types.Receipts
	// side is a branch that loses: it starts beside blocks[sideAt-1]
	side   []*types.Block
	sideAt uint64

	accounts  []account
	contracts map[string]common.Address
	notable   map[string]common.Hash // name → transaction hash
	order     []string               // names in notable, as they were added
}

// blockMaker adds to one block under construction.
type blockMaker struct {
	*core.BlockGen
	chain  *chain
	random *rand.Rand
	header *types.Header
	number uint64
}

// headerOf reaches the header of a block under construction: BlockGen has no setter for the mix hash and the gas
// limit, and PREVRANDAO reads the former.
func headerOf(b *core.BlockGen) *types.Header {
	field := reflect.ValueOf(b).Elem().FieldByName("header")
	return *(**types.Header)(unsafe.Pointer(field.UnsafeAddr()))
}

func (m *blockMaker) has(fork uint64) bool { return fork != 0 && m.number >= fork }

func (m *blockMaker) hash() (h common.Hash) {
	m.random.Read(h[:])
	return h
}

// prepare sets what every block has: time, beneficiary, extra data, gas limit, randomness and the beacon root.
func (m *blockMaker) prepare() {
	forks := m.chain.forks
	m.OffsetTime(int64(blockTime(m.number)) - int64(m.Timestamp()))
	if m.chain.plain {
		m.SetPoS()
		m.SetCoinbase(common.Address{})
		return
	}
	if m.has(forks.merge) {
		m.SetPoS()
	} else {
		var nonce types.BlockNonce
		m.random.Read(nonce[:])
		m.SetNonce(nonce)
	}
	m.header.MixDigest = m.hash()
	// the header's gas limit moves within the allowed 1/1024 of its parent's; the jump at London is left alone
	if m.number != forks.london {
		step := uint64(m.random.Intn(int(m.header.GasLimit / 1200)))
		if m.random.Intn(2) == 0 {
			m.header.GasLimit += step
		} else {
			m.header.GasLimit -= step
		}
	}
	var proposer common.Address
	proposer[0], proposer[19] = 0xfe, byte(m.random.Intn(5))
	m.SetCoinbase(proposer)
	if extra := m.random.Intn(4); extra > 0 {
		m.SetExtra([]byte("geth-reader fixture block, extra")[:extra*10])
	}
	if m.has(forks.cancun) {
		m.SetParentBeaconRoot(m.hash())
	}
}

// note remembers a transaction under a name.
func (m *blockMaker) note(name string, tx *types.Transaction) *types.Transaction {
	if name != "" {
		if _, taken := m.chain.notable[name]; taken {
			panic("name used twice: " + name)
		}
		m.chain.notable[name] = tx.Hash()
		m.chain.order = append(m.chain.order, name)
	}
	return tx
}

// price is a fee per gas that the block accepts.
func (m *blockMaker) price() *big.Int {
	tip := big.NewInt(gwei + int64(m.random.Intn(gwei)))
	if m.has(m.chain.forks.london) {
		return tip.Add(tip, m.header.BaseFee)
	}
	return tip
}

// call describes a transaction; a nil to creates a contract. Fields that a transaction type lacks are ignored.
type call struct {
	to       *common.Address
	value    *big.Int
	gas      uint64
	data     []byte
	access   types.AccessList
	blobs    int
	auths    []types.SetCodeAuthorization
	gasPrice *big.Int
	tip      *big.Int
}

func to(address common.Address) *common.Address { return &address }

func (c call) amount() *big.Int {
	if c.value == nil {
		return new(big.Int)
	}
	return c.value
}

// Transaction kinds in the order of their age.
const (
	unprotected = iota
	protected
	accessList
	dynamicFee
	blob
	setCode
)

// send signs a transaction of a kind and executes it in the block.
func (m *blockMaker) send(name string, kind int, from account, c call) *types.Transaction {
	var (
		tx    *types.Transaction
		nonce = m.TxNonce(from.address)
		price = c.gasPrice
		id    = uint256.NewInt(chainID)
	)
	if price == nil {
		price = m.price()
	}
	tip, feeCap := c.tip, price
	if tip == nil {
		tip = big.NewInt(int64(m.random.Intn(gwei)))
	}
	if c.gasPrice == nil && m.has(m.chain.forks.london) {
		feeCap = new(big.Int).Add(new(big.Int).Mul(m.header.BaseFee, big.NewInt(2)), tip)
	}
	sign := func(signer types.Signer, data types.TxData) *types.Transaction {
		return types.MustSignNewTx(from.key, signer, data)
	}
	legacy := &types.LegacyTx{Nonce: nonce, GasPrice: price, Gas: c.gas, To: c.to, Value: c.amount(), Data: c.data}
	switch kind {
	case unprotected:
		tx = sign(types.HomesteadSigner{}, legacy)
	case protected:
		tx = sign(m.Signer(), legacy)
	case accessList:
		tx = sign(m.Signer(), &types.AccessListTx{ChainID: big.NewInt(chainID), Nonce: nonce, GasPrice: price, Gas: c.gas,
			To: c.to, Value: c.amount(), Data: c.data, AccessList: c.access})
	case dynamicFee:
		tx = sign(m.Signer(), &types.DynamicFeeTx{ChainID: big.NewInt(chainID), Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap,
			Gas: c.gas, To: c.to, Value: c.amount(), Data: c.data, AccessList: c.access})
	case blob:
		hashes := make([]common.Hash, c.blobs)
		for i := range hashes {
			hashes[i] = m.hash()
			hashes[i][0] = 1
		}
		tx = sign(m.Signer(), &types.BlobTx{ChainID: id, Nonce: nonce, GasTipCap: uint256.MustFromBig(tip),
			GasFeeCap: uint256.MustFromBig(feeCap), Gas: c.gas, To: *c.to, Value: uint256.MustFromBig(c.amount()), Data: c.data,
			AccessList: c.access, BlobFeeCap: uint256.NewInt(10 * gwei), BlobHashes: hashes})
	case setCode:
		tx = sign(m.Signer(), &types.SetCodeTx{ChainID: id, Nonce: nonce, GasTipCap: uint256.MustFromBig(tip),
			GasFeeCap: uint256.MustFromBig(feeCap), Gas: c.gas, To: *c.to, Value: uint256.MustFromBig(c.amount()), Data: c.data,
			AccessList: c.access, AuthList: c.auths})
	}
	m.AddTx(tx)
	return m.note(name, tx)
}

// deploy creates a contract with the given runtime code and remembers its address under the name.
func (m *blockMaker) deploy(name string, kind int, from account, runtime []byte) common.Address {
	address := crypto.CreateAddress(from.address, m.TxNonce(from.address))
	m.send("deploy-"+name, kind, from, call{gas: 1_200_000, data: deployer(runtime)})
	m.chain.contracts[name] = address
	return address
}

// newestKind is the youngest ordinary transaction kind that the block allows.
func (m *blockMaker) kinds() []int {
	forks := m.chain.forks
	kinds := []int{unprotected}
	if m.has(forks.spurious) {
		kinds = append(kinds, protected, protected)
	}
	if m.has(forks.berlin) {
		kinds = append(kinds, accessList)
	}
	if m.has(forks.london) {
		kinds = append(kinds, dynamicFee, dynamicFee, dynamicFee)
	}
	return kinds
}

func (m *blockMaker) anyKind() int {
	kinds := m.kinds()
	return kinds[m.random.Intn(len(kinds))]
}

func (m *blockMaker) anyAccount() account {
	return m.chain.accounts[m.random.Intn(len(m.chain.accounts))]
}

// newGenesis funds the accounts and places the system contracts, the deposit logger and one contract with storage.
func newGenesis(forks forkSchedule, accounts []account) *core.Genesis {
	alloc := types.GenesisAlloc{
		depositAddress: {Code: loggerCode(), Balance: new(big.Int), Nonce: 1},
		genesisBox: {Code: boxCode(), Balance: big.NewInt(ether), Nonce: 1, Storage: map[common.Hash]common.Hash{
			common.BigToHash(common.Big1):  common.HexToHash("0x01"),
			common.BigToHash(common.Big2):  common.HexToHash("0xfedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"),
			common.HexToHash("0xffffffff"): common.HexToHash("0x8000000000000000000000000000000000000000000000000000000000000000"),
		}},
	}
	for _, a := range accounts {
		alloc[a.address] = types.Account{Balance: new(big.Int).Mul(big.NewInt(ether), big.NewInt(1_000_000))}
	}
	for address, code := range map[common.Address][]byte{
		params.BeaconRootsAddress:        params.BeaconRootsCode,
		params.HistoryStorageAddress:     params.HistoryStorageCode,
		params.WithdrawalQueueAddress:    params.WithdrawalQueueCode,
		params.ConsolidationQueueAddress: params.ConsolidationQueueCode,
	} {
		alloc[address] = types.Account{Code: code, Balance: new(big.Int), Nonce: 1}
	}
	return &core.Genesis{
		Config:     forks.config(),
		Timestamp:  genesisTime,
		ExtraData:  []byte("geth-reader fixture genesis"),
		GasLimit:   9_000_000,
		Difficulty: big.NewInt(131_072),
		Nonce:      0x4242,
		Alloc:      alloc,
	}
}

// genesisBox is a contract with storage that exists from block 0 on.
var genesisBox = common.HexToAddress("0x00000000000000000000000000000000000b0c5e")

// makeBlocks generates length blocks on the chain's genesis, each filled by fill, from a fixed seed.
func (c *chain) makeBlocks(length int, seed int64, fill func(*blockMaker)) ethdb.Database {
	random := rand.New(rand.NewSource(seed))
	engine := beacon.New(ethash.NewFaker())
	db, blocks, receipts := core.GenerateChainWithGenesis(c.genesis, engine, length, func(i int, b *core.BlockGen) {
		m := &blockMaker{BlockGen: b, chain: c, random: random, header: headerOf(b), number: uint64(i) + 1}
		m.prepare()
		fill(m)
	})
	c.blocks, c.receipts = blocks, receipts
	total := new(big.Int).Set(c.genesis.Difficulty)
	for _, block := range c.blocks {
		total.Add(total, block.Difficulty())
	}
	c.genesis.Config.TerminalTotalDifficulty = total
	return db
}

// writeBlocks writes blocks one after another as RLP, as geth import reads them.
func writeBlocks(path string, blocks []*types.Block) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, block := range blocks {
		if err := block.EncodeRLP(file); err != nil {
			return fmt.Errorf("block %d: %w", block.NumberU64(), err)
		}
	}
	return file.Close()
}
