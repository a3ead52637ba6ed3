package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
)

// recipe says how one fixture comes about.
type recipe struct {
	name      string
	version   string // of the geth that writes the directory
	chain     func() *chain
	engine    string
	scheme    string
	archive   bool
	extra     []string // flags of every command
	exercises string   // what the fixture is for, for the table in README.md
	make      func(*maker) error
	// transcripts says whether to record what geth 1.17.5 answers for this directory
	transcripts bool
}

// maker makes one fixture in a working directory.
type maker struct {
	recipe
	*chain
	node
	work    string
	genesis string
	facts   facts
}

// facts is the pack's meta.json.
type facts struct {
	Name      string      `json:"name"`
	Geth      string      `json:"geth"`
	Engine    string      `json:"engine"`
	Scheme    string      `json:"scheme"`
	GCMode    string      `json:"gcmode"`
	Chain     string      `json:"chain"`
	ChainID   int         `json:"chainId"`
	Genesis   string      `json:"genesis"`
	Head      blockFacts  `json:"head"`
	Finalized *blockFacts `json:"finalized"`
	// Frozen counts the blocks in the freezer: 0 to Frozen-1.
	Frozen uint64 `json:"frozen"`
	// LogFrom is the lowest block that lies only in the store's write-ahead log; null where none does.
	LogFrom *uint64 `json:"logFrom"`
}

type blockFacts struct {
	Number    uint64 `json:"number"`
	Hash      string `json:"hash"`
	StateRoot string `json:"stateRoot"`
}

func factsOf(block *types.Block) blockFacts {
	return blockFacts{block.NumberU64(), block.Hash().Hex(), block.Root().Hex()}
}

// Chains are generated once a run.
var (
	rich     = sync.OnceValue(richChain)
	shanghai = sync.OnceValue(shanghaiChain)
)

// installGeth finds geth-VERSION in the directory or installs it there.
func installGeth(dir, version string) (string, error) {
	target := filepath.Join(dir, "geth-"+version)
	if _, err := os.Stat(target); err == nil {
		return filepath.Abs(target)
	}
	fmt.Printf("installing geth %s\n", version)
	scratch, err := os.MkdirTemp("", "geth-install")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	// releases before 1.14 reach into the runtime in a way that newer linkers refuse unless told not to
	command := exec.Command("go", "install", "-ldflags=-checklinkname=0", "github.com/ethereum/go-ethereum/cmd/geth@v"+version)
	command.Env = append(os.Environ(), "GOBIN="+scratch)
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, output)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return target, os.Rename(filepath.Join(scratch, "geth"), target)
}

// produce makes the fixture, packs it and records its transcripts.
func (r recipe) produce(gethDir, out string, keep bool) error {
	started := time.Now()
	m, done, err := r.maker(gethDir, keep)
	if err != nil {
		return err
	}
	defer done()
	c := m.chain
	m.facts = facts{Name: r.name, Geth: r.version, Engine: r.engine, Scheme: r.scheme, GCMode: "full",
		Chain: c.name, ChainID: chainID, Genesis: c.genesis.ToBlock().Hash().Hex(), Head: factsOf(c.blocks[len(c.blocks)-1])}
	if r.archive {
		m.facts.GCMode = "archive"
	}
	if err := m.writeGenesis(); err != nil {
		return err
	}
	if err := c.writeDescription(filepath.Join(out, "chains")); err != nil {
		return err
	}
	if err := r.make(m); err != nil {
		return err
	}
	m.facts.Frozen = m.frozen()
	if err := os.MkdirAll(filepath.Dir(r.packPath(out)), 0o755); err != nil {
		return err
	}
	pack, err := packDirectory(m.dir, m.facts, r.packPath(out))
	if err != nil {
		return err
	}
	if err := updateIndex(out, r, pack); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, sha256 %s, %s\n", r.name, pack.size, pack.checksum, time.Since(started).Round(time.Second))
	if !r.transcripts {
		return nil
	}
	return m.record(gethDir, out)
}

// rerecord records the transcripts of the pack as it is.
func (r recipe) rerecord(gethDir, out string, keep bool) error {
	if !r.transcripts {
		return nil
	}
	m, done, err := r.maker(gethDir, keep)
	if err != nil {
		return err
	}
	defer done()
	if m.facts, err = unpack(r.packPath(out), m.dir); err != nil {
		return err
	}
	return m.record(gethDir, out)
}

func (r recipe) packPath(out string) string { return filepath.Join(out, "fixtures", r.name+".tar.br") }

// maker prepares a working directory; done removes it, unless it is to be kept.
func (r recipe) maker(gethDir string, keep bool) (m *maker, done func(), err error) {
	binary, err := installGeth(gethDir, r.version)
	if err != nil {
		return nil, nil, err
	}
	work, err := os.MkdirTemp("", "fixture-"+r.name+"-")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(work) }
	if keep {
		fmt.Println("working in", work)
		done = func() {}
	}
	return &maker{recipe: r, chain: r.chain(), work: work, genesis: filepath.Join(work, "genesis.json"),
		node: node{binary: binary, dir: filepath.Join(work, "data"), engine: r.engine, scheme: r.scheme, archive: r.archive, extra: r.extra}}, done, nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
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

// indexEntry is a line of fixtures.json.
type indexEntry struct {
	Name      string `json:"name"`
	Geth      string `json:"geth"`
	Chain     string `json:"chain"`
	Engine    string `json:"engine"`
	Scheme    string `json:"scheme"`
	Archive   bool   `json:"archive"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
	Exercises string `json:"exercises"`
}

// updateIndex puts the pack into fixtures.json, which stays in the order of the recipes.
func updateIndex(out string, r recipe, pack packed) error {
	path := filepath.Join(out, "fixtures.json")
	var index []indexEntry
	if text, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(text, &index); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	index = slices.DeleteFunc(index, func(e indexEntry) bool { return e.Name == r.name })
	index = append(index, indexEntry{r.name, r.version, r.chain().name, r.engine, r.scheme, r.archive, pack.size, pack.checksum, r.exercises})
	place := func(name string) int {
		return slices.IndexFunc(recipes, func(r recipe) bool { return r.name == name })
	}
	slices.SortFunc(index, func(a, b indexEntry) int { return place(a.Name) - place(b.Name) })
	return writeJSON(path, index)
}
