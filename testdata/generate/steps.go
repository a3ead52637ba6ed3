// How directories of each kind come about, step by step.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
)

// smallBuffer makes the path scheme write every block below the newest 128 to disk at once.
var smallBuffer = []string{"--cache.gc", "0"}

// frozenAndLogged is the usual shape of a directory: frozen up to 280, a store up to 324, the newest blocks in the log.
func frozenAndLogged(m *maker) error {
	if err := m.begin(324); err != nil {
		return err
	}
	if err := m.finalize(324, 300, 280); err != nil {
		return err
	}
	return m.finish(325)
}

// bufferedPath leaves the persistent state at block 152, what follows up to 212 in the write buffer and the newest
// 128 blocks as layers, the last two in the journal file.
func bufferedPath(m *maker) error {
	if err := m.bufferStates(); err != nil {
		return err
	}
	return m.finish(281)
}

// bufferStates writes states up to block 152 to disk, and leaves the others up to 280 in the journal file.
func (m *maker) bufferStates() error {
	m.node.extra = smallBuffer
	if err := m.begin(280); err != nil {
		return err
	}
	m.node.extra = nil
	return m.finalize(280, 270, 250)
}

// killed lets a running node import everything and kills it: nothing is frozen, nothing journalled, nearly everything
// lies in the write-ahead log.
func killed(m *maker) error {
	if err := m.init(m.genesis); err != nil {
		return err
	}
	file, err := m.blocksFile(1, uint64(len(m.blocks)))
	if err != nil {
		return err
	}
	r, err := m.start("--history.logs.disable")
	if err != nil {
		return err
	}
	defer r.kill()
	_, err = r.call("admin_importChain", file)
	one := uint64(1)
	m.facts.LogFrom = &one
	// Pebble keeps the end of its log in memory, so the kill costs it some blocks
	m.lossy = m.node.engine == "pebble"
	return err
}

// killedPath is killed with a persistent state that has moved on from genesis.
func killedPath(m *maker) error {
	m.node.extra = smallBuffer
	return killed(m)
}

// indexLogs lets geth build its log index up to the head.
func (m *maker) indexLogs() error {
	r, err := m.start()
	if err != nil {
		return err
	}
	time.Sleep(3 * time.Second)
	return r.stop()
}

// staleIndex leaves a log index that ends with a branch which has lost since.
func staleIndex(m *maker) error {
	if err := m.begin(m.sideAt - 1); err != nil {
		return err
	}
	side := filepath.Join(m.work, "side.rlp")
	if err := writeBlocks(side, m.side); err != nil {
		return err
	}
	if err := m.importBlocks(side); err != nil {
		return err
	}
	if err := m.indexLogs(); err != nil {
		return err
	}
	rest, err := m.blocksFile(m.sideAt, uint64(len(m.blocks)))
	if err != nil {
		return err
	}
	m.facts.LogFrom = &m.sideAt
	return m.importWithoutCompaction(rest)
}

// partialIndex starts geth on a stale index and kills it after it has dropped the last map and before it has built it
// anew. That is a matter of milliseconds, so it tries with growing delays.
func partialIndex(m *maker) error {
	if err := staleIndex(m); err != nil {
		return err
	}
	stale := m.dir
	for delay := 300 * time.Millisecond; delay < 3*time.Second; delay += 20 * time.Millisecond {
		m.dir = filepath.Join(m.work, fmt.Sprintf("try-%d", delay.Milliseconds()))
		if err := os.CopyFS(m.dir, os.DirFS(stale)); err != nil {
			return err
		}
		if err := m.runFor(delay); err != nil {
			return err
		}
		indexed, err := m.readLogIndex()
		if err != nil {
			return err
		}
		if indexed != nil && !indexed.HeadIndexed && indexed.Maps > 0 {
			m.facts.LogFrom = nil // geth has replayed the log into a table
			return nil
		}
		if err := os.RemoveAll(m.dir); err != nil {
			return err
		}
	}
	return errors.New("the log index was never caught half built")
}

// withStateHistory keeps every state as reverse differences and waits until geth has indexed them, which it begins
// only with a young head or after five idle minutes.
func withStateHistory(m *maker) error {
	return m.withHistory("--history.state", "0")
}

// withTrienodeHistory has the trie nodes of old states too.
func withTrienodeHistory(m *maker) error {
	return m.withHistory("--history.state", "0", "--history.trienode", "0")
}

func (m *maker) withHistory(flags ...string) error {
	m.node.extra = append(append([]string{}, smallBuffer...), flags...)
	if err := m.begin(uint64(len(m.blocks))); err != nil {
		return err
	}
	head := uint64(len(m.blocks))
	if err := m.finalize(head, head-20, head-40); err != nil {
		return err
	}
	return m.indexStateHistory()
}

// withStaleStateHistory has histories that their index does not cover: what came after the indexing.
func withStaleStateHistory(m *maker) error {
	m.node.extra = append(smallBuffer, "--history.state", "0")
	if err := m.begin(300); err != nil {
		return err
	}
	if err := m.finalize(300, 290, 250); err != nil {
		return err
	}
	if err := m.indexStateHistory(); err != nil {
		return err
	}
	m.facts.States = nil
	return m.finish(301)
}

// indexStateHistory runs a node until every state can be read, and remembers which.
func (m *maker) indexStateHistory() error {
	r, err := m.start()
	if err != nil {
		return err
	}
	err = waitUntil("indexing the state history", 12*time.Minute, func() bool {
		syncing, err := r.call("eth_syncing")
		if err != nil || string(syncing) != "false" {
			return false
		}
		if _, err = r.call("eth_getBalance", m.accounts[0].address, "0x5"); err != nil {
			return false
		}
		if !slices.Contains(m.node.extra, "--history.trienode") {
			return true
		}
		_, err = r.call("eth_getProof", m.accounts[0].address, []string{}, "0x5")
		return err == nil
	})
	if err == nil {
		err = m.probeStates(r)
	}
	if stopped := r.stop(); err == nil {
		err = stopped
	}
	return err
}

// oldFrozen is a directory of a release before 1.14 with all but the newest blocks in the freezer.
func oldFrozen(m *maker) error {
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
}

// upgraded begins with an old release and goes on with the newest; between makes the store ready for it.
func upgraded(between func(*maker) error) func(*maker) error {
	return func(m *maker) error {
		if err := m.begin(150); err != nil {
			return err
		}
		if err := m.freeze(150 - 100); err != nil {
			return err
		}
		m.node.binary = m.newest
		if err := between(m); err != nil {
			return err
		}
		file, err := m.blocksFile(151, 204)
		if err != nil {
			return err
		}
		if err := m.importBlocks(file); err != nil {
			return err
		}
		if err := m.finalize(204, 190, 170); err != nil {
			return err
		}
		return m.finish(205)
	}
}

// writeGenesis writes genesis.json. Releases up to 1.13 take blocks after the merge only with a promise in the chain
// config that newer ones no longer know.
func (m *maker) writeGenesis() error {
	text, err := json.Marshal(m.chain.genesis)
	if err != nil {
		return err
	}
	var genesis map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&genesis); err != nil {
		return err
	}
	genesis["config"].(map[string]any)["terminalTotalDifficultyPassed"] = true
	return writeJSON(m.genesis, genesis)
}

// blocksFile writes the blocks from first to last, both included, and names the file.
func (m *maker) blocksFile(first, last uint64) (string, error) {
	path := filepath.Join(m.work, fmt.Sprintf("blocks-%d-%d.rlp", first, last))
	return path, writeBlocks(path, m.blocks[first-1:last])
}

func (m *maker) block(number uint64) *types.Block { return m.blocks[number-1] }

// begin creates the directory with the genesis block and imports the blocks up to a number.
func (m *maker) begin(last uint64) error {
	if err := m.init(m.genesis); err != nil {
		return err
	}
	file, err := m.blocksFile(1, last)
	if err != nil {
		return err
	}
	return m.importBlocks(file)
}

// finalize sets head, safe and finalized, restarts geth and waits until everything up to finalized is frozen and,
// where there is a log index, until it has caught up.
func (m *maker) finalize(head, safe, finalized uint64) error {
	if err := m.setForkchoice(head, safe, finalized); err != nil {
		return err
	}
	r, err := m.start()
	if err != nil {
		return err
	}
	if err := waitUntil("freezing", time.Minute, func() bool { return m.frozen() > finalized }); err != nil {
		r.kill()
		return err
	}
	// freezing deletes from the store last, and the log index is written beside it
	time.Sleep(2 * time.Second)
	return r.stop()
}

// freeze moves all but the newest blocks into the freezer by the program freeze-1.13.15, as releases before 1.14 only
// do with 90,000 blocks and more.
func (m *maker) freeze(keep uint64) error {
	command := exec.Command("go", "run", ".", filepath.Join(m.dir, "geth", "chaindata"), fmt.Sprint(keep))
	command.Dir = "freeze-1.13.15"
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, output)
	}
	return nil
}

// setForkchoice sets head, safe and finalized and stops geth.
func (m *maker) setForkchoice(head, safe, finalized uint64) error {
	r, err := m.start()
	if err != nil {
		return err
	}
	if err := r.forkchoice(m.block(head).Hash(), m.block(safe).Hash(), m.block(finalized).Hash()); err != nil {
		r.kill()
		return err
	}
	facts := factsOf(m.block(finalized))
	m.facts.Finalized = &facts
	return r.stop()
}

// finishLive hands the losing branch and the newest blocks to a running node: geth import of old releases always
// compacts the store, and then nothing stays in the write-ahead log.
func (m *maker) finishLive(first uint64) error {
	files, err := m.newestFiles(first)
	if err != nil {
		return err
	}
	r, err := m.start()
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := r.call("admin_importChain", file); err != nil {
			r.kill()
			return err
		}
	}
	return r.stop()
}

// newestFiles writes the newest blocks, with the losing branch before those that beat it.
func (m *maker) newestFiles(first uint64) ([]string, error) {
	m.facts.LogFrom = &first
	before, err := m.blocksFile(first, m.sideAt-1)
	if err != nil {
		return nil, err
	}
	side := filepath.Join(m.work, "side.rlp")
	if err := writeBlocks(side, m.side); err != nil {
		return nil, err
	}
	rest, err := m.blocksFile(m.sideAt, uint64(len(m.blocks)))
	return []string{before, side, rest}, err
}

// finish imports the losing branch and the newest blocks, which stay in the write-ahead log.
func (m *maker) finish(first uint64) error {
	files, err := m.newestFiles(first)
	if err != nil {
		return err
	}
	return m.importWithoutCompaction(files...)
}
