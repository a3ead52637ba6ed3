// Real blocks of the main network and how they are varied: transactions and logs of their kinds, numbers and sizes, but
// other hashes, senders and emitters in every block.

package main

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/klauspost/compress/zstd"
)

const (
	// realBlocksUsed are the newest ones of the archive, from Shanghai to Prague.
	realBlocksUsed = 8
	// addressVariants is how many addresses stand for one of a contract that few blocks use.
	addressVariants = 1_000
)

// realBlock is a block of the main network.
type realBlock struct {
	header   types.Header
	body     types.Body
	receipts types.Receipts
}

// blockShapes are the blocks that others are made from.
type blockShapes struct {
	originals []realBlock
	// popular are emitters in more than one real block; they keep their address
	popular map[common.Address]bool
}

// wireReceipt is a receipt as eth/69 sends it.
type wireReceipt struct {
	Type              uint8
	PostStateOrStatus []byte
	CumulativeGasUsed uint64
	Logs              []*types.Log
}

// readRealBlocks reads the newest blocks of an archive of NUMBER.header.rlp, NUMBER.body.rlp and NUMBER.receipts.rlp.
func readRealBlocks(path string) ([]realBlock, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	decompressed, err := zstd.NewReader(file)
	if err != nil {
		return nil, err
	}
	defer decompressed.Close()
	files := map[string][]byte{}
	var numbers []string
	for archive := tar.NewReader(decompressed); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(entry.Name, "./")
		if files[name], err = io.ReadAll(archive); err != nil {
			return nil, err
		}
		if number, isHeader := strings.CutSuffix(name, ".header.rlp"); isHeader {
			numbers = append(numbers, number)
		}
	}
	// numbers of equal length
	slices.Sort(numbers)
	if len(numbers) < realBlocksUsed {
		return nil, fmt.Errorf("%s has %d blocks, expected at least %d", path, len(numbers), realBlocksUsed)
	}
	var blocks []realBlock
	for _, number := range numbers[len(numbers)-realBlocksUsed:] {
		block, err := decodeRealBlock(files[number+".header.rlp"], files[number+".body.rlp"], files[number+".receipts.rlp"])
		if err != nil {
			return nil, fmt.Errorf("block %s: %w", number, err)
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// decodeRealBlock gives a block the header fields that Prague wants.
func decodeRealBlock(header, body, receipts []byte) (b realBlock, err error) {
	var wire []wireReceipt
	if err := errors.Join(rlp.DecodeBytes(header, &b.header), rlp.DecodeBytes(body, &b.body),
		rlp.DecodeBytes(receipts, &wire)); err != nil {
		return b, err
	}
	for _, r := range wire {
		b.receipts = append(b.receipts, &types.Receipt{Type: r.Type, Status: statusOf(r.PostStateOrStatus),
			CumulativeGasUsed: r.CumulativeGasUsed, Logs: r.Logs})
	}
	if b.header.ExcessBlobGas == nil {
		b.header.ExcessBlobGas, b.header.BlobGasUsed = new(uint64), new(uint64)
		b.header.ParentBeaconRoot = new(common.Hash)
	}
	if b.header.RequestsHash == nil {
		b.header.RequestsHash = &types.EmptyRequestsHash
	}
	return b, nil
}

func statusOf(encoded []byte) uint64 {
	if len(encoded) == 0 {
		return types.ReceiptStatusFailed
	}
	return types.ReceiptStatusSuccessful
}

func newBlockShapes(originals []realBlock) *blockShapes {
	blocksOf := map[common.Address]map[int]bool{}
	for i, block := range originals {
		for _, receipt := range block.receipts {
			for _, log := range receipt.Logs {
				if blocksOf[log.Address] == nil {
					blocksOf[log.Address] = map[int]bool{}
				}
				blocksOf[log.Address][i] = true
			}
		}
	}
	popular := map[common.Address]bool{}
	for address, blocks := range blocksOf {
		popular[address] = len(blocks) > 1
	}
	return &blockShapes{originals, popular}
}

// varyTransaction adds the block's number to the nonce. The signature stays, so that another sender is recovered from it.
func varyTransaction(transaction *types.Transaction, number uint64) (*types.Transaction, error) {
	encoded, err := transaction.MarshalBinary()
	if err != nil {
		return nil, err
	}
	prefix, nonceAt := 0, 0
	if transaction.Type() != types.LegacyTxType {
		// the type is before the list, the chain id before the nonce
		prefix, nonceAt = 1, 1
	}
	var fields []rlp.RawValue
	if err := rlp.DecodeBytes(encoded[prefix:], &fields); err != nil {
		return nil, err
	}
	if fields[nonceAt], err = rlp.EncodeToBytes(transaction.Nonce() + number); err != nil {
		return nil, err
	}
	list, err := rlp.EncodeToBytes(fields)
	if err != nil {
		return nil, err
	}
	varied := new(types.Transaction)
	return varied, varied.UnmarshalBinary(append(encoded[:prefix:prefix], list...))
}

// varyReceipts gives the logs other emitters and indexed arguments. What is equal in a block stays equal there, so that as
// many bits of the bloom are set as before.
func (s *blockShapes) varyReceipts(receipts types.Receipts, number uint64) types.Receipts {
	varied := make(types.Receipts, len(receipts))
	for i, receipt := range receipts {
		r := *receipt
		r.Logs = make([]*types.Log, len(receipt.Logs))
		for j, log := range receipt.Logs {
			l := types.Log{Address: s.varyAddress(log.Address, number), Topics: slices.Clone(log.Topics), Data: log.Data}
			for k := 1; k < len(l.Topics); k++ {
				l.Topics[k] = s.varyTopic(l.Topics[k], number)
			}
			r.Logs[j] = &l
		}
		r.Bloom = types.CreateBloom(&r)
		varied[i] = &r
	}
	return varied
}

// varyAddress picks one of an address's variants for a block: a few of them often, most of them in very few blocks.
func (s *blockShapes) varyAddress(address common.Address, number uint64) common.Address {
	if s.popular[address] || address == (common.Address{}) {
		return address
	}
	chosen := sha256.Sum256(binary.BigEndian.AppendUint64(address[:], number))
	fraction := float64(binary.BigEndian.Uint64(chosen[:])) / math.MaxUint64
	mask := sha256.Sum256(binary.BigEndian.AppendUint64(address[:], uint64(fraction*fraction*addressVariants)))
	for i := range address {
		address[i] ^= mask[i]
	}
	return address
}

// varyTopic changes an indexed argument, as an address if it can be one.
func (s *blockShapes) varyTopic(topic common.Hash, number uint64) common.Hash {
	if topic == (common.Hash{}) {
		return topic
	}
	if address := common.BytesToAddress(topic[:]); common.BytesToHash(address[:]) == topic {
		return common.BytesToHash(s.varyAddress(address, number).Bytes())
	}
	return sha256.Sum256(binary.BigEndian.AppendUint64(topic[:], number))
}
