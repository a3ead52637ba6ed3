package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"strings"

	pebblev1 "github.com/cockroachdb/pebble"
	pebblev2 "github.com/cockroachdb/pebble/v2"
	gethpebble "github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

// group is what the keys with one first byte came to.
type group struct {
	Count  int    `json:"count"`
	Sha256 string `json:"sha256"`
}

// contents is every key and value of a store: by the first byte of the key, in hex (none for the empty key), the number
// of entries and the SHA-256 of all of them in key order, each as length of the key (u32, little-endian), key, length of
// the value, value.
type contents struct {
	Entries int              `json:"entries"`
	Groups  map[string]group `json:"groups"`
	hash    hash.Hash
	first   string
}

func (c *contents) add(key, value []byte) {
	first := ""
	if len(key) > 0 {
		first = hex.EncodeToString(key[:1])
	}
	if c.hash == nil || first != c.first {
		c.hash, c.first = sha256.New(), first
	}
	for _, part := range [][]byte{key, value} {
		var length [4]byte
		binary.LittleEndian.PutUint32(length[:], uint32(len(part)))
		c.hash.Write(length[:])
		c.hash.Write(part)
	}
	c.Entries++
	c.Groups[first] = group{c.Groups[first].Count + 1, hex.EncodeToString(c.hash.Sum(nil))}
}

// digest reads a store with the engine that wrote it, without changing what it holds.
func digest(dir string) (*contents, error) {
	read := &contents{Groups: map[string]group{}}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	isPebble := false
	for _, name := range names {
		isPebble = isPebble || strings.HasPrefix(name.Name(), "OPTIONS") || strings.HasPrefix(name.Name(), "marker.")
	}
	switch {
	case !isPebble:
		return read, digestLevelDB(dir, read)
	case gethpebble.NeedsV1(dir):
		return read, digestPebbleV1(dir, read)
	default:
		return read, digestPebbleV2(dir, read)
	}
}

func digestLevelDB(dir string, read *contents) error {
	db, err := leveldb.OpenFile(dir, &opt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	iterator := db.NewIterator(nil, nil)
	defer iterator.Release()
	for iterator.Next() {
		read.add(iterator.Key(), iterator.Value())
	}
	return iterator.Error()
}

func digestPebbleV1(dir string, read *contents) error {
	db, err := pebblev1.Open(dir, &pebblev1.Options{ReadOnly: true, Logger: quiet{}})
	if err != nil {
		return err
	}
	defer db.Close()
	iterator, err := db.NewIter(nil)
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.First(); iterator.Valid(); iterator.Next() {
		read.add(iterator.Key(), iterator.Value())
	}
	return iterator.Error()
}

func digestPebbleV2(dir string, read *contents) error {
	options := &pebblev2.Options{ReadOnly: true, Logger: quiet{}, FormatMajorVersion: pebblev2.FormatFlushableIngest}
	db, err := pebblev2.Open(dir, options)
	if err != nil {
		return err
	}
	defer db.Close()
	iterator, err := db.NewIter(nil)
	if err != nil {
		return err
	}
	defer iterator.Close()
	for iterator.First(); iterator.Valid(); iterator.Next() {
		read.add(iterator.Key(), iterator.Value())
	}
	return iterator.Error()
}

// quiet is a logger of both Pebbles that says nothing.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
