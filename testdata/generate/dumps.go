// What geth lists of whole states.

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// dumpedBlocks are those whose states are listed.
var dumpedBlocks = []uint64{0, 60, 152, 340}

// dump writes every account of some states, with its storage but without its code, as debug_accountRange lists them.
func (m *maker) dump(r *running, out string) error {
	folder := filepath.Join(out, "dumps", m.recipe.name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, number := range dumpedBlocks {
		answer, err := r.call("debug_accountRange", quantity(number), "0x", 1000, true, false, true)
		if err != nil {
			return err
		}
		if err := writeJSON(filepath.Join(folder, fmt.Sprintf("%d.json", number)), answer); err != nil {
			return err
		}
	}
	return nil
}
