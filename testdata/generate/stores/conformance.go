package main

import (
	"encoding/binary"
	"encoding/hex"

	pebblev1 "github.com/cockroachdb/pebble"
	bloomv1 "github.com/cockroachdb/pebble/bloom"
	pebblev2 "github.com/cockroachdb/pebble/v2"
)

// The pairs of test/ethdb/conformance.ts, which writes LevelDB by itself but has no Pebble to write with.

type pair struct{ key, value []byte }

// noise is bytes that do not compress, the same as in conformance.ts.
func noise(length int, seed uint32) []byte {
	value := make([]byte, length)
	state := seed
	for i := range value {
		state = state*1_664_525 + 1_013_904_223
		value[i] = byte(state >> 24)
	}
	return value
}

func unhex(text string) []byte {
	key, err := hex.DecodeString(text)
	must(err)
	return key
}

func conformancePairs() []pair {
	pairs := []pair{
		{unhex("00"), []byte("a zero byte")},
		{unhex("0000"), []byte("two zero bytes")},
		{unhex("61"), []byte("a")},
		{unhex("6100"), []byte("a and a zero byte")},
		{unhex("61ff"), []byte("a and ff")},
		{unhex("61ffff"), []byte("a and ff ff")},
		{unhex("62"), nil},
		{unhex("70"), noise(1, 1)},
		{unhex("71"), noise(400_000, 2)},
		{unhex("7f80"), []byte("across the sign bit")},
		{unhex("80"), []byte("above ascii")},
		{unhex("ff"), []byte("ff")},
		{unhex("ffff"), []byte("ff ff")},
		{noise(1_000, 3), []byte("a long key")},
	}
	for i := 0; i < 3_000; i++ {
		number := uint32(i*1_009) % 3_000
		key := binary.BigEndian.AppendUint32([]byte{0x6e}, number)
		pairs = append(pairs, pair{key, noise(20+int(number%60), number)})
	}
	return pairs
}

// conformanceStores are the pair sets of the suite, written by both Pebbles: the first part ends in tables, the last one
// in the write-ahead log only.
func conformanceStores() []store {
	sets := []struct {
		name  string
		pairs []pair
	}{
		{"all", conformancePairs()},
		{"one", []pair{{[]byte("a"), []byte("1")}}},
		{"two", []pair{{[]byte("a"), []byte("1")}, {[]byte("b"), []byte("2")}}},
		{"none", nil},
	}
	var made []store
	for _, set := range sets {
		made = append(made,
			store{name: "conformance-" + set.name + "-v1", exercises: "the conformance suite, Pebble v1",
				make: func(dir string) ([][]byte, error) { return nil, writeConformanceV1(dir, set.pairs) }},
			store{name: "conformance-" + set.name + "-v2", exercises: "the conformance suite, Pebble v2",
				make: func(dir string) ([][]byte, error) { return nil, writeConformanceV2(dir, set.pairs) }})
	}
	return made
}

func writeConformanceV1(dir string, pairs []pair) error {
	options := &pebblev1.Options{Logger: quiet{}, Levels: []pebblev1.LevelOptions{{FilterPolicy: bloomv1.FilterPolicy(10)}}}
	db, err := pebblev1.Open(dir, options)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		if i == (len(pairs)*9+9)/10 {
			must(db.Flush())
		}
		must(db.Set(p.key, p.value, pebblev1.NoSync))
	}
	return db.Close()
}

func writeConformanceV2(dir string, pairs []pair) error {
	options := optionsV2()
	options.MemTableSize = 4 << 20
	db, err := pebblev2.Open(dir, options)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		if i == (len(pairs)*9+9)/10 {
			must(db.Flush())
		}
		must(db.Set(p.key, p.value, pebblev2.NoSync))
	}
	return db.Close()
}
