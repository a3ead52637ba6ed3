package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"time"

	pebblev1 "github.com/cockroachdb/pebble"
	bloomv1 "github.com/cockroachdb/pebble/bloom"
	pebblev2 "github.com/cockroachdb/pebble/v2"
	bloomv2 "github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	sstablev2 "github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

var stores = []store{
	{name: "leveldb-levels", make: makeLevelDB,
		exercises: "goleveldb: five levels, overwritten and deleted keys kept by snapshots, a batch past the log, a killed log"},
	{name: "pebble-v1", make: makePebbleV1,
		exercises: "Pebble v1, format 1: several levels, two-level indexes, range and single deletions, a recycled log, killed"},
	{name: "pebble-v2", make: makePebbleV2,
		exercises: "Pebble v2, format 13: the same, keys set after deletion, ingested tables, killed"},
	{name: "pebble-upgraded", make: makePebbleUpgraded,
		exercises: "Pebble v1 raised to format 13 and written on by v2: tables of both, CURRENT left behind"},
	{name: "pebble-flushable-ingest", make: makeFlushableIngest, unreadable: true,
		exercises: "a table ingested by way of the log, which geth never does"},
	{name: "pebble-virtual", make: makeVirtual, unreadable: true,
		exercises: "virtual tables, which geth never makes"},
	{name: "pebble-columnar", make: makeColumnar, unreadable: true,
		exercises: "tables of Pebble's newest format"},
	{name: "pebble-zstd", make: makeZstd, unreadable: true,
		exercises: "blocks compressed with zstd"},
}

// model writes the same mix of keys to any engine.
type model struct {
	random *rand.Rand
	put    func(key, value []byte)
	del    func(key []byte)
	live   map[string]bool
}

func newModel(seed int64) *model {
	return &model{random: rand.New(rand.NewSource(seed)), live: map[string]bool{}}
}

// hashKey is a key as geth's hash-keyed tables have it, structured one as its numbered tables do.
func hashKey(i int) []byte {
	key := make([]byte, 33)
	rand.New(rand.NewSource(int64(i) + 1_000_003)).Read(key)
	key[0] = 'l'
	return key
}

func numberedKey(prefix byte, i int) []byte {
	return binary.BigEndian.AppendUint64([]byte{prefix}, uint64(i))
}

func (m *model) value(length int) []byte {
	value := make([]byte, length)
	m.random.Read(value[:length/4]) // The rest compresses.
	return value
}

func (m *model) set(key []byte) {
	m.put(key, m.value(m.random.Intn(80)))
	m.live[string(key)] = true
}

func (m *model) remove(key []byte) {
	m.del(key)
	m.live[string(key)] = false
}

// round writes and deletes keys all over the key space.
func (m *model) round(n int) {
	for i := 0; i < n; i++ {
		switch at := m.random.Intn(2000); m.random.Intn(8) {
		case 0:
			m.remove(hashKey(at))
		case 1:
			m.remove(numberedKey('h', at))
		case 2, 3:
			m.set(numberedKey('h', at))
		case 4:
			m.set(numberedKey('r', at))
		case 5:
			m.set([]byte(fmt.Sprintf("key-%d", at))) // Of several lengths, so that one is the beginning of another.
		default:
			m.set(hashKey(at))
		}
	}
}

// absent names keys that were deleted and not written again, at most 300.
func (m *model) absent() [][]byte {
	var keys [][]byte
	for i := 0; i < 2000 && len(keys) < 300; i++ {
		for _, key := range [][]byte{hashKey(i), numberedKey('h', i), numberedKey('r', i)} {
			if live, known := m.live[string(key)]; known && !live {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (m *model) forget(start, end []byte) {
	for key := range m.live {
		if key >= string(start) && key < string(end) {
			m.live[key] = false
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func makeLevelDB(dir string) ([][]byte, error) {
	work := dir + "-work"
	options := &opt.Options{
		Filter: filter.NewBloomFilter(10), DisableSeeksCompaction: true,
		WriteBuffer: 24 << 10, CompactionTableSize: 12 << 10, CompactionTotalSize: 24 << 10, BlockSize: 1 << 10,
		CompactionTotalSizeMultiplier: 2,
	}
	db, err := leveldb.OpenFile(work, options)
	if err != nil {
		return nil, err
	}
	m := newModel(1)
	m.put = func(key, value []byte) { must(db.Put(key, value, nil)) }
	m.del = func(key []byte) { must(db.Delete(key, nil)) }
	for i := 0; i < 5; i++ {
		m.round(1500)
		snapshot, err := db.GetSnapshot() // Keeps the versions of now in the tables.
		if err != nil {
			return nil, err
		}
		defer snapshot.Release()
	}
	large := new(leveldb.Batch)
	for i := 0; i < 300; i++ {
		large.Put(numberedKey('t', i), m.value(120)) // Above the write buffer: into tables, past the log.
	}
	must(db.Write(large, nil))
	m.round(300)
	must(db.Put([]byte("empty"), nil, nil))
	must(db.Put([]byte("large"), m.value(40_000), nil))
	m.round(100)
	time.Sleep(500 * time.Millisecond) // Compactions end.
	if err := copyFiles(work, dir); err != nil {
		return nil, err
	}
	return m.absent(), db.Close()
}

func levelsV1() []pebblev1.LevelOptions {
	levels := make([]pebblev1.LevelOptions, 7)
	for i := range levels {
		levels[i] = pebblev1.LevelOptions{TargetFileSize: 32 << 10, BlockSize: 512, IndexBlockSize: 512}
		if i < 6 {
			levels[i].FilterPolicy = bloomv1.FilterPolicy(10)
		}
	}
	return levels
}

func writePebbleV1(dir string, m *model, rounds int) (*pebblev1.DB, error) {
	db, err := pebblev1.Open(dir, &pebblev1.Options{
		MemTableSize: 64 << 10, L0CompactionThreshold: 2, LBaseMaxBytes: 64 << 10, Levels: levelsV1(), Logger: quiet{},
	})
	if err != nil {
		return nil, err
	}
	m.put = func(key, value []byte) { must(db.Set(key, value, pebblev1.NoSync)) }
	m.del = func(key []byte) {
		if key[len(key)-1]%3 == 0 && key[0] == 'r' {
			must(db.SingleDelete(key, pebblev1.NoSync))
		} else {
			must(db.Delete(key, pebblev1.NoSync))
		}
	}
	for i := 0; i < rounds; i++ {
		m.round(1200)
		start, end := numberedKey('h', 300*i), numberedKey('h', 300*i+120)
		must(db.DeleteRange(start, end, pebblev1.NoSync))
		m.forget(start, end)
		m.set(numberedKey('h', 300*i+60)) // Newer than the deletion around it.
		db.NewSnapshot()                  // Never closed: keeps versions and deletions in the tables.
	}
	return db, nil
}

func makePebbleV1(dir string) ([][]byte, error) {
	m := newModel(2)
	db, err := writePebbleV1(dir+"-work", m, 6)
	if err != nil {
		return nil, err
	}
	must(db.DeleteRange([]byte("r"), []byte("s"), pebblev1.NoSync))
	m.forget([]byte("r"), []byte("s"))
	m.round(200)
	must(db.LogData([]byte("not an entry"), pebblev1.Sync))
	return m.absent(), kill(dir)
}

func levelsV2() (levels [7]pebblev2.LevelOptions, sizes [7]int64) {
	for i := range levels {
		levels[i] = pebblev2.LevelOptions{BlockSize: 512, IndexBlockSize: 512}
		if i < 6 {
			levels[i].FilterPolicy = bloomv2.FilterPolicy(10)
		}
		sizes[i] = 32 << 10
	}
	return levels, sizes
}

func optionsV2() *pebblev2.Options {
	levels, sizes := levelsV2()
	return &pebblev2.Options{
		MemTableSize: 64 << 10, L0CompactionThreshold: 2, LBaseMaxBytes: 64 << 10, Levels: levels,
		TargetFileSizes: sizes, FormatMajorVersion: pebblev2.FormatFlushableIngest, Logger: quiet{},
	}
}

func writePebbleV2(db *pebblev2.DB, m *model, rounds int) {
	m.put = func(key, value []byte) { must(db.Set(key, value, pebblev2.NoSync)) }
	m.del = func(key []byte) { must(db.Delete(key, pebblev2.NoSync)) }
	for i := 0; i < rounds; i++ {
		m.round(1200)
		start, end := numberedKey('h', 300*i), numberedKey('h', 300*i+120)
		must(db.DeleteRange(start, end, pebblev2.NoSync))
		m.forget(start, end)
		m.set(numberedKey('h', 300*i+60))
		db.NewSnapshot()
	}
}

func makePebbleV2(dir string) ([][]byte, error) {
	work := dir + "-work"
	db, err := pebblev2.Open(work, optionsV2())
	if err != nil {
		return nil, err
	}
	m := newModel(3)
	writePebbleV2(db, m, 3)
	must(ingest(db, work+"-ingested.sst", m, 'i'))
	writePebbleV2(db, m, 3)
	must(db.DeleteRange([]byte("r"), []byte("s"), pebblev2.NoSync))
	m.forget([]byte("r"), []byte("s"))
	m.round(200)
	must(db.LogData([]byte("not an entry"), pebblev2.Sync))
	return m.absent(), kill(dir)
}

// ingest adds a table with keys of a prefix, some of them over keys of the store.
func ingest(db *pebblev2.DB, path string, m *model, prefix byte) error {
	file, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	writer := sstablev2.NewWriter(objstorageprovider.NewFileWritable(file),
		sstablev2.WriterOptions{TableFormat: sstablev2.TableFormatPebblev2})
	for i := 0; i < 50; i++ {
		if err := writer.Set(numberedKey(prefix, i), m.value(40)); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return db.Ingest(context.Background(), []string{path})
}

func makePebbleUpgraded(dir string) ([][]byte, error) {
	work := dir + "-work"
	m := newModel(4)
	v1, err := writePebbleV1(work, m, 2)
	if err != nil {
		return nil, err
	}
	must(v1.RatchetFormatMajorVersion(pebblev1.FormatFlushableIngest))
	m.round(300)
	must(v1.Flush())
	if err := copyFiles(work, dir); err != nil {
		return nil, err
	}
	v2, err := pebblev2.Open(dir, optionsV2())
	if err != nil {
		return nil, err
	}
	m.put = func(key, value []byte) { must(v2.Set(key, value, pebblev2.NoSync)) }
	m.del = func(key []byte) { must(v2.Delete(key, pebblev2.NoSync)) }
	m.round(200)
	return m.absent(), v2.Close()
}

func makeFlushableIngest(dir string) ([][]byte, error) {
	db, err := pebblev2.Open(dir+"-work", &pebblev2.Options{
		FormatMajorVersion: pebblev2.FormatFlushableIngest, Logger: quiet{}, DisableAutomaticCompactions: true,
		MemTableStopWritesThreshold: 8,
	})
	if err != nil {
		return nil, err
	}
	m := newModel(5)
	must(db.Set(numberedKey('i', 1), m.value(10), pebblev2.Sync)) // In the memtable, over the keys of the table.
	must(ingest(db, dir+"-ingested.sst", m, 'i'))
	if err := kill(dir); err != nil {
		return nil, err
	}
	// The flush follows at once. Without the edits that came of it, the MANIFEST is as it was a moment before.
	path := filepath.Join(dir, "MANIFEST-000001")
	manifest, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	first := 7 + int(binary.LittleEndian.Uint16(manifest[4:]))
	return nil, os.WriteFile(path, manifest[:first], 0o644)
}

func makeVirtual(dir string) ([][]byte, error) {
	db, err := pebblev2.Open(dir, &pebblev2.Options{FormatMajorVersion: pebblev2.FormatFlushableIngestExcises, Logger: quiet{}})
	if err != nil {
		return nil, err
	}
	m := newModel(6)
	for i := 0; i < 100; i++ {
		must(db.Set(numberedKey('v', i), m.value(30), pebblev2.Sync))
	}
	must(db.Flush())
	must(db.Compact(context.Background(), numberedKey('v', 0), numberedKey('v', 99), false))
	must(db.Excise(context.Background(), pebblev2.KeyRange{Start: numberedKey('v', 20), End: numberedKey('v', 30)}))
	return nil, db.Close()
}

func makeColumnar(dir string) ([][]byte, error) {
	return nil, writeFew(dir, &pebblev2.Options{FormatMajorVersion: pebblev2.FormatNewest, Logger: quiet{}})
}

func makeZstd(dir string) ([][]byte, error) {
	options := optionsV2()
	for i := range options.Levels {
		options.Levels[i].Compression = func() *sstablev2.CompressionProfile { return block.ZstdCompression }
	}
	return nil, writeFew(dir, options)
}

// writeFew leaves a store with one table.
func writeFew(dir string, options *pebblev2.Options) error {
	db, err := pebblev2.Open(dir, options)
	if err != nil {
		return err
	}
	for i := 0; i < 200; i++ {
		must(db.Set(numberedKey('f', i), make([]byte, 100), pebblev2.NoSync))
	}
	must(db.Flush())
	return db.Close()
}

// kill copies an open store as SIGKILL would leave it; what the engine keeps in memory is lost.
func kill(dir string) error {
	time.Sleep(500 * time.Millisecond)
	return copyFiles(filepath.Clean(dir+"-work"), dir)
}
