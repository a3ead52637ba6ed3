// A recipe: which geth writes which chain in which way, and what is then packed, looked at and recorded.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// recipe says how one fixture comes about.
type recipe struct {
	name      string
	version   string // of the geth that writes the directory; "A, then B" where two do
	chain     func() *chain
	engine    string
	scheme    string
	archive   bool
	exercises string // what the fixture is for, for the table in README.md
	make      func(*maker) error
	// cases are what geth 1.17.5 is asked about this directory; nil records nothing
	cases func(*transcripts)
	// recordings is the name of the fixture whose recordings all hold for this one
	recordings string
}

// maker makes one fixture in a working directory.
type maker struct {
	recipe
	*chain
	node
	work    string
	genesis string
	newest  string // binary of the newest release
	lossy   bool   // the newest blocks may be lost
	facts   facts
}

// facts is the pack's meta.json.
// newestGeth is the release whose answers count.
const newestGeth = "1.17.5"

// Chains are generated once a run.
var (
	rich     = sync.OnceValue(richChain)
	shanghai = sync.OnceValue(shanghaiChain)
	logs     = sync.OnceValue(logsChain)
	long     = sync.OnceValue(longChain)
)

// installGeth finds geth-VERSION in the directory or installs it there.
func installGeth(dir, version string) (string, error) {
	target := filepath.Join(dir, "geth-"+version)
	if _, err := os.Stat(target); err == nil {
		return filepath.Abs(target)
	}
	fmt.Printf("installing geth %s\n", version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(dir, "install")
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
	if err := m.look(out); err != nil {
		return err
	}
	if m.facts.States == nil {
		if err := m.askStates(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(r.packPath(out)), 0o755); err != nil {
		return err
	}
	pack, err := packDirectory(m.dir, m.facts, r.packPath(out))
	if err != nil {
		return err
	}
	if err := r.updateIndex(out, func(e *indexEntry) { e.Bytes, e.SHA256 = pack.size, pack.checksum }); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, sha256 %s, %s\n", r.name, pack.size, pack.checksum, time.Since(started).Round(time.Second))
	if r.cases == nil {
		return nil
	}
	return m.record(out)
}

// rerecord records the transcripts of the pack as it is.
func (r recipe) rerecord(gethDir, out string, keep bool) error {
	if r.cases == nil {
		return r.updateIndex(out, func(e *indexEntry) { e.Cases = 0 })
	}
	m, done, err := r.maker(gethDir, keep)
	if err != nil {
		return err
	}
	defer done()
	if m.facts, err = unpack(r.packPath(out), m.dir); err != nil {
		return err
	}
	return m.record(out)
}

func (r recipe) packPath(out string) string { return filepath.Join(out, "fixtures", r.name+".tar.br") }

// maker prepares a working directory; done removes it, unless it is to be kept.
func (r recipe) maker(gethDir string, keep bool) (m *maker, done func(), err error) {
	first, _, _ := strings.Cut(r.version, ",")
	binary, err := installGeth(gethDir, first)
	if err != nil {
		return nil, nil, err
	}
	newest, err := installGeth(gethDir, newestGeth)
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
	return &maker{recipe: r, chain: r.chain(), work: work, genesis: filepath.Join(work, "genesis.json"), newest: newest,
		node: node{binary: binary, dir: filepath.Join(work, "data"), engine: r.engine, scheme: r.scheme, archive: r.archive}}, done, nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
