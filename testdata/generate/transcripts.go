// Recordings: asking geth and writing one file a case.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// transcript is one request and what geth answered. Either both texts are JSON values, or, for bodies that are no
// ordinary request, both are plain text exactly as sent and received.
type transcript struct {
	folder string // the method, or "body"
	name   string
	params any    // JSON parameters of the method
	body   string // the whole body, where the folder is "body"
	rule   string // section of rpc-semantics, or rule of the README, under which this project answers otherwise
}

// transcripts collects the cases of one chain.
type transcripts struct {
	*chain
	list  []transcript
	taken map[string]bool
}

type object map[string]any

var caseName = regexp.MustCompile(`^[a-z0-9-]+$`)

func (t *transcripts) put(c transcript) {
	key := c.folder + "/" + c.name
	if t.taken[key] || !caseName.MatchString(c.name) {
		panic("bad or repeated case name " + key)
	}
	t.taken[key] = true
	t.list = append(t.list, c)
}

// ask adds a case; the name says what it shows.
func (t *transcripts) ask(method, name string, params ...any) {
	t.put(transcript{folder: method, name: name, params: listOf(params)})
}

// listOf makes the absence of arguments an empty JSON list.
func listOf(params []any) []any {
	if params == nil {
		return []any{}
	}
	return params
}

// askUnder adds a case in which this project's answer differs from geth's by the named rule.
func (t *transcripts) askUnder(rule, method, name string, params ...any) {
	t.put(transcript{folder: method, name: name, params: listOf(params), rule: rule})
}

// askWith adds a case whose params are not a list.
func (t *transcripts) askWith(method, name string, params any) {
	t.put(transcript{folder: method, name: name, params: params})
}

func (t *transcripts) body(name, body string) {
	t.put(transcript{folder: "body", name: name, body: body})
}

func quantity(number uint64) string { return hexutil.EncodeUint64(number) }

func bytesHex(data []byte) string { return hexutil.Encode(data) }

func (t *transcripts) tx(name string) place {
	hash, ok := t.notable[name]
	if !ok {
		panic("no transaction called " + name)
	}
	for _, block := range t.blocks {
		for i, tx := range block.Transactions() {
			if tx.Hash() == hash {
				return place{Hash: hash, Block: block.NumberU64(), Index: i}
			}
		}
	}
	return place{Hash: hash, Side: true}
}

func (t *transcripts) hashOf(number uint64) common.Hash {
	if number == 0 {
		return t.genesis.ToBlock().Hash()
	}
	return t.blocks[number-1].Hash()
}

// record asks a node that runs on a copy of the directory and writes one file a case.
func (m *maker) record(out string) error {
	copied := filepath.Join(m.work, "copy")
	if err := os.CopyFS(copied, os.DirFS(m.dir)); err != nil {
		return err
	}
	gasCap := m.block(uint64(len(m.blocks))).GasLimit() * 10
	n := m.node
	n.binary, n.dir = m.newest, copied
	r, err := n.start("--rpc.gascap", fmt.Sprint(gasCap), "--rpc.evmtimeout", "60s")
	if err != nil {
		return err
	}
	folder := filepath.Join(out, "transcripts", m.recipe.name)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	err = m.ask(r, out, folder, gasCap)
	if err == nil && m.recipe.name == recipes[0].name {
		err = m.dump(r, out)
	}
	if stopped := r.stop(); err == nil {
		err = stopped
	}
	return err
}

func (m *maker) ask(r *running, out, folder string, gasCap uint64) error {
	client, err := r.call("web3_clientVersion")
	if err != nil {
		return err
	}
	t := &transcripts{chain: m.chain, taken: map[string]bool{}}
	m.recipe.cases(t)
	if m.recipe.name == recipes[0].name {
		t.callKinCases()
	}
	recorded := 0
	for _, c := range t.list {
		entry, refused, err := c.answeredBy(r, m.recipe.scheme == "path" || !m.recipe.archive)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", c.folder, c.name, err)
		}
		// what is wrong with a request is the same for every directory: the first fixture's recordings suffice
		if refused && m.recipe.name != recipes[0].name {
			continue
		}
		recorded++
		file := filepath.Join(folder, c.folder, c.name+".json")
		if c.folder == tracesFolder {
			file = filepath.Join(out, tracesFolder, m.recipe.name, c.name+".json")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := writeJSON(file, entry); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(folder, "meta.json"), object{
		"client": client, "gasCap": gasCap, "evmTimeout": "60s", "head": m.facts.Head, "cases": recorded,
	}); err != nil {
		return err
	}
	return m.updateIndex(out, func(e *indexEntry) { e.Cases = recorded })
}

// answeredBy gives the content of the case's file, and whether geth refused the request for its form. In the path scheme and
// in full nodes geth does not reach every state that is on disk; a lenient case lets this project answer as geth does for an archive.
func (c transcript) answeredBy(r *running, lenient bool) (entry any, refused bool, err error) {
	if c.folder == "body" {
		answer, err := post(r.http, []byte(c.body), http.Header{})
		return struct {
			Body   string `json:"body"`
			Answer string `json:"answer"`
		}{c.body, string(answer)}, true, err
	}
	method := c.folder
	if method == tracesFolder {
		method = "debug_traceCall"
	}
	request, err := marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", 1, method, c.params})
	if err != nil {
		return nil, false, err
	}
	answer, err := post(r.http, request, http.Header{})
	if err != nil {
		return nil, false, err
	}
	if !json.Valid(answer) {
		return nil, false, fmt.Errorf("answered %q", answer)
	}
	rule := c.rule
	if rule == "" && lenient && bytes.Contains(answer, []byte(`"historical state`)) {
		rule = "archive"
	}
	return struct {
		Rule     string          `json:"rule,omitempty"`
		Request  json.RawMessage `json:"request"`
		Response json.RawMessage `json:"response"`
	}{rule, request, bytes.TrimSpace(answer)}, bytes.Contains(answer, []byte(`"code":-32602`)), nil
}

// marshal is json.Marshal without the escapes that HTML would need.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

func repeat(text string, times int) string { return strings.Repeat(text, times) }
