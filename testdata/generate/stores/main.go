// Command stores makes testdata/stores: small LevelDB and Pebble directories that the engines themselves wrote, each with
// what an engine reads in it. They hold what geth's directories hold rarely or only when large: several levels, many
// versions of a key, range deletions, two-level indexes, recycled logs, logs cut by a kill, foreign formats.
//
//	go run . [-only NAME]       make the stores
//	go run . -digest DIRECTORY  print the digest of a chaindata directory
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// store is a directory and how it is written. make leaves it in dir, closed or copied while it was open, and returns
// keys that are not in it.
type store struct {
	name      string
	exercises string
	make      func(dir string) (absent [][]byte, err error)
	// unreadable marks formats that geth does not write: there is no digest, the reader must refuse them.
	unreadable bool
}

func main() {
	var (
		out      = flag.String("out", "../../stores", "where the stores go")
		only     = flag.String("only", "", "name of the only store to make")
		digestOf = flag.String("digest", "", "chaindata directory to print the digest of")
	)
	flag.Parse()
	var err error
	switch {
	case *digestOf != "":
		err = printDigest(*digestOf)
	default:
		err = makeStores(*out, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeStores(out, only string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, s := range append(stores, conformanceStores()...) {
		if only != "" && only != s.name {
			continue
		}
		if err := makeStore(s, out); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func makeStore(s store, out string) error {
	work, err := os.MkdirTemp("", "geth-reader-store-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	dir := filepath.Join(work, "chaindata")
	absent, err := s.make(dir)
	if err != nil {
		return err
	}
	description := map[string]any{"name": s.name, "exercises": s.exercises}
	if !s.unreadable {
		// The engines write when they open: they get a copy.
		copied := filepath.Join(work, "copy")
		if err := copyFiles(dir, copied); err != nil {
			return err
		}
		read, err := digest(copied)
		if err != nil {
			return err
		}
		description["digest"] = read
		description["absent"] = hexKeys(absent)
	}
	return pack(dir, description, filepath.Join(out, s.name+".tar.br"))
}

func printDigest(dir string) error {
	read, err := digest(dir)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	return encoder.Encode(read)
}
