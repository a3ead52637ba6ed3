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
	var table strings.Builder
	table.WriteString("| fixture | geth | bytes | SHA-256 | what it exercises |\n| --- | --- | ---: | --- | --- |\n")
	for _, e := range index {
		fmt.Fprintf(&table, "| %s | %s | %d | `%s` | %s |\n", e.Name, e.Geth, e.Bytes, e.SHA256, e.Exercises)
	}
	return os.WriteFile(path, []byte(before+tableStart+table.String()+tableEnd+after), 0o644)
}
