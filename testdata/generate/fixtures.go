// The list of all fixtures.

package main

import (
	"time"
)

// recipes are all fixtures, in the order in which the table shows them.
var recipes = []recipe{
	{
		name: "rich-1.17.5-leveldb-hash-archive", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "hash", archive: true,
		recordings: "rich-1.17.5-leveldb-hash-archive",
		exercises:  "every fork and transaction type; freezer up to 280, tables, newest blocks and a losing branch only in the log; log index up to 324",
		make:       frozenAndLogged, cases: (*transcripts).all,
	},
	{
		name: "shanghai-1.13.15-leveldb-hash-archive", version: "1.13.15", chain: shanghai, engine: "leveldb", scheme: "hash", archive: true,
		recordings: "shanghai-1.13.15-leveldb-hash-archive",
		exercises:  "forks up to Shanghai; `diffs` table, total difficulties in freezer and store, no log index, a decoy `lightchaindata`; newest blocks only in the log",
		make:       oldFrozen, cases: (*transcripts).all,
	},
	{
		name: "shanghai-1.13.15-upgraded-leveldb-hash-archive", version: "1.13.15, then 1.17.5", chain: shanghai, engine: "leveldb", scheme: "hash", archive: true,
		recordings: "shanghai-1.13.15-leveldb-hash-archive",
		exercises:  "begun by 1.13.15, continued by 1.17.5: two generations of freezer metadata, a `diffs` table that ends at 100, total difficulties only for old blocks",
		make:       upgraded(func(*maker) error { return nil }),
	},
	{
		name: "rich-1.17.5-leveldb-hash-archive-killed", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "SIGKILL: nothing frozen, nothing finalized, nearly everything in the log",
		make:      killed, cases: (*transcripts).unfinalized,
	},
	{
		name: "rich-1.17.5-leveldb-hash-full", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "hash",
		exercises: "the few states that clean stops leave; no log index",
		make: func(m *maker) error {
			m.startFlags = []string{"--history.logs.disable"}
			return frozenAndLogged(m)
		},
		cases: (*transcripts).states,
	},
	{
		name: "rich-1.17.5-leveldb-hash-full-killed", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "hash",
		exercises: "SIGKILL of a full node: no state but genesis on disk",
		make:      killed, cases: (*transcripts).states,
	},
	{
		name: "rich-1.17.5-leveldb-hash-archive-pruned", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "bodies and receipts of the blocks before 115 are pruned; headers and states are there",
		make:      pruned, cases: (*transcripts).prunedArchive,
	},
	{
		name: "rich-1.17.5-leveldb-path", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "path",
		exercises: "path scheme: persistent state at 152, write buffer up to 212 and 128 layers in the journal file; state histories without index",
		make:      bufferedPath, cases: (*transcripts).states,
	},
	{
		name: "rich-1.17.5-leveldb-path-journal", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "path",
		exercises: "path scheme: persistent state is genesis, everything later in the journal file",
		make:      frozenAndLogged, cases: (*transcripts).states,
	},
	{
		name: "rich-1.17.5-leveldb-path-archive", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "path", archive: true,
		exercises: "path scheme: every state through the indexed state history, record versions 0 and 1",
		make:      withStateHistory,
	},
	{
		name: "rich-1.17.5-leveldb-path-archive-behind", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "path", archive: true,
		exercises: "path scheme: state histories that their index does not cover to the end",
		make:      withStaleStateHistory,
	},
	{
		name: "rich-1.17.5-leveldb-path-archive-trienodes", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "path", archive: true,
		exercises: "path scheme: state history and trie node history, both indexed",
		make:      withTrienodeHistory,
	},
	{
		name: "rich-1.17.5-leveldb-path-killed", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "path",
		exercises: "SIGKILL: no journal, so the newest state on disk is below the head",
		make:      killedPath,
	},
	{
		name: "rich-1.17.5-pebble-hash-archive", version: "1.17.5", chain: rich, engine: "pebble", scheme: "hash", archive: true,
		recordings: "rich-1.17.5-leveldb-hash-archive",
		exercises:  "Pebble in its second layout (markers)",
		make:       frozenAndLogged,
	},
	{
		name: "rich-1.17.5-pebble-path", version: "1.17.5", chain: rich, engine: "pebble", scheme: "path",
		exercises: "what a new node looks like today: Pebble in its second layout, path scheme",
		make:      bufferedPath, cases: (*transcripts).states,
	},
	{
		name: "rich-1.17.5-pebble-path-postprague", version: "1.17.5", chain: rich, engine: "pebble", scheme: "path",
		exercises: "`geth prune-history --history.chain postprague`: bodies and receipts of the blocks before 195 are pruned",
		make:      postPrague, cases: func(t *transcripts) { t.prunedPath(t.forks.prague) },
	},
	{
		name: "rich-1.17.5-pebble-path-postmerge", version: "1.17.5", chain: rich, engine: "pebble", scheme: "path",
		exercises: "snap sync with `--history.chain postmerge`: of the blocks before 115 only headers were ever written; states from the pivot 260 on",
		make:      syncedPostMerge, cases: func(t *transcripts) { t.prunedPath(t.forks.merge) },
	},
	{
		name: "rich-1.17.5-pebble-path-killed", version: "1.17.5", chain: rich, engine: "pebble", scheme: "path",
		exercises: "SIGKILL: several live Pebble logs, no journal",
		make:      killedPath,
	},
	{
		name: "shanghai-1.13.15-pebble-hash-archive", version: "1.13.15", chain: shanghai, engine: "pebble", scheme: "hash", archive: true,
		recordings: "shanghai-1.13.15-leveldb-hash-archive",
		exercises:  "Pebble in its first layout (`CURRENT`), as 1.12 to 1.17.4 write it",
		make:       oldFrozen,
	},
	{
		name: "shanghai-1.13.15-upgraded-pebble-hash-archive", version: "1.13.15, then 1.17.5", chain: shanghai, engine: "pebble", scheme: "hash", archive: true,
		recordings: "shanghai-1.13.15-leveldb-hash-archive",
		exercises:  "first layout turned into the second by `geth db pebble-upgrade`: old and new table formats side by side, a stale `CURRENT`",
		make: upgraded(func(m *maker) error {
			return m.run("db", "pebble-upgrade", "--datadir", m.dir)
		}),
	},
	{
		name: "logs-1.17.5-leveldb-index-complete", version: "1.17.5", chain: logs, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "log index of three maps up to the head",
		make: func(m *maker) error {
			if err := m.begin(80); err != nil {
				return err
			}
			return m.finalize(80, 70, 60)
		},
	},
	{
		name: "logs-1.17.5-leveldb-index-partial", version: "1.17.5", chain: logs, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "geth was killed while it built the last map of the log index anew: two whole maps, the head is not indexed",
		make:      partialIndex,
	},
	{
		name: "logs-1.17.5-leveldb-index-behind", version: "1.17.5", chain: logs, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "log index up to block 40, chain up to 80",
		make: func(m *maker) error {
			if err := m.begin(40); err != nil {
				return err
			}
			if err := m.finalize(40, 40, 30); err != nil {
				return err
			}
			return m.finish(41)
		},
	},
	{
		name: "logs-1.17.5-leveldb-index-stale", version: "1.17.5", chain: logs, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "log index up to the end of a branch that has lost since: its last map belongs to no canonical block",
		make:      staleIndex,
	},
	{
		name: "long-1.13.15-leveldb-bloombits", version: "1.13.15", chain: long, engine: "leveldb", scheme: "hash",
		exercises: "one section of bloom bits (4,096 blocks), indexed by 1.13.15; 4,400 mostly empty blocks",
		make: func(m *maker) error {
			length := uint64(len(m.blocks))
			if err := m.begin(length); err != nil {
				return err
			}
			if err := m.setForkchoice(length, length-10, length-40); err != nil {
				return err
			}
			r, err := m.start()
			if err != nil {
				return err
			}
			time.Sleep(10 * time.Second) // the section is indexed in the background
			if err := r.stop(); err != nil {
				return err
			}
			return m.freeze(300)
		},
	},
}
