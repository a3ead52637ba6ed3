// fixtures.json and the table in README.md.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// indexEntry is a line of fixtures.json.
type indexEntry struct {
	Name    string `json:"name"`
	Geth    string `json:"geth"`
	Chain   string `json:"chain"`
	Engine  string `json:"engine"`
	Scheme  string `json:"scheme"`
	Archive bool   `json:"archive"`
	Bytes   int    `json:"bytes"`
	SHA256  string `json:"sha256"`
	// Cases counts the fixture's own recordings.
	Cases int `json:"cases"`
	// Recordings names the fixture whose recordings, made for the same chain and states, all hold for this one; null
	// where the directory lacks something that those ask for.
	Recordings *string `json:"recordings"`
	Exercises  string  `json:"exercises"`
}

// updateIndex changes the fixture's entry in fixtures.json, which stays in the order of the recipes, and the table.
func (r recipe) updateIndex(out string, change func(*indexEntry)) error {
	path := filepath.Join(out, "fixtures.json")
	var index []indexEntry
	if text, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(text, &index); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	at := slices.IndexFunc(index, func(e indexEntry) bool { return e.Name == r.name })
	if at < 0 {
		at = len(index)
		index = append(index, indexEntry{Name: r.name})
	}
	entry := &index[at]
	entry.Geth, entry.Chain, entry.Engine, entry.Scheme, entry.Archive = r.version, r.chain().name, r.engine, r.scheme, r.archive
	entry.Exercises, entry.Recordings = r.exercises, nil
	if r.recordings != "" {
		entry.Recordings = &r.recordings
	}
	change(entry)
	place := func(name string) int {
		return slices.IndexFunc(recipes, func(r recipe) bool { return r.name == name })
	}
	slices.SortFunc(index, func(a, b indexEntry) int { return place(a.Name) - place(b.Name) })
	if err := writeJSON(path, index); err != nil {
		return err
	}
	return writeTable(filepath.Join(out, "README.md"), index)
}

const tableStart, tableEnd = "<!-- fixtures -->\n", "<!-- /fixtures -->"

// writeTable replaces the table of fixtures in the README.
func writeTable(path string, index []indexEntry) error {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), tableStart)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		return fmt.Errorf("%s has no place for the table", path)
	}
	rows := [][]string{{"fixture", "geth", "bytes", "SHA-256", "what it exercises"}, {"-", "-", ":", "-", "-"}}
	for _, e := range index {
		rows = append(rows, []string{e.Name, e.Geth, fmt.Sprint(e.Bytes), "`" + e.SHA256 + "`", e.Exercises})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var table strings.Builder
	table.WriteString("\n")
	for _, row := range rows {
		for i, cell := range row {
			switch fill := widths[i] - len(cell); {
			case cell == "-":
				cell = strings.Repeat("-", widths[i])
			case row[i] == ":" || rows[1][i] == ":":
				padding := " "
				if cell == ":" {
					padding = "-"
				}
				cell = strings.Repeat(padding, fill) + cell
			default:
				cell += strings.Repeat(" ", fill)
			}
			fmt.Fprintf(&table, "| %s ", cell)
		}
		table.WriteString("|\n")
	}
	table.WriteString("\n")
	return os.WriteFile(path, []byte(before+tableStart+table.String()+tableEnd+after), 0o644)
}
