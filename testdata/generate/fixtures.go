package main

// recipes are all fixtures, in the order in which the table shows them.
var recipes = []recipe{
	{
		name: "rich-1.17.5-leveldb-hash-archive", version: "1.17.5", chain: rich, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "every fork and transaction type; freezer up to 280, tables, newest blocks and a losing branch only in the log; log index up to 324",
		make: func(m *maker) error {
			if err := m.begin(324); err != nil {
				return err
			}
			if err := m.finalize(324, 300, 280); err != nil {
				return err
			}
			return m.finish(325)
		},
		transcripts: true,
	},
	{
		name: "shanghai-1.13.15-leveldb-hash-archive", version: "1.13.15", chain: shanghai, engine: "leveldb", scheme: "hash", archive: true,
		exercises: "forks up to Shanghai; diffs table, total difficulties in freezer and store, no log index, a decoy lightchaindata; newest blocks only in the log",
		make: func(m *maker) error {
			if err := m.begin(204); err != nil {
				return err
			}
			if err := m.setForkchoice(204, 190, 170); err != nil {
				return err
			}
			if err := m.freeze(204 - 170); err != nil {
				return err
			}
			return m.finishLive(205)
		},
		transcripts: true,
	},
}
