// Command generate makes the packed data directories and transcripts of testdata/ by driving stock geth releases.
//
//	go run .                       everything, installing each geth release that is not found
//	go run . -only NAME[,NAME]     some fixtures
//	go run . -geth DIR             where binaries named geth-VERSION lie (default: GOPATH/bin)
//	go run . -record               only record transcripts, from the packs as they are
//	go run . -list                 the fixtures' names
//	go run . -bench DIR            only DIR/data, a directory for comparing speed with geth (testdata/README.md)
//	go run . -mainnet DIR          only DIR/data, the same with blocks of the main network's shape
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var (
		only   = flag.String("only", "", "comma-separated names of the fixtures to make")
		geth   = flag.String("geth", filepath.Join(build.Default.GOPATH, "bin"), "directory of binaries named geth-VERSION")
		out    = flag.String("out", "..", "the testdata directory")
		record = flag.Bool("record", false, "leave the packs as they are and only record transcripts")
		keep   = flag.Bool("keep", false, "keep the working directories")
		list   = flag.Bool("list", false, "list the fixtures and stop")
		bench  = flag.String("bench", "", "only make the bench chain, in this new directory")
		blocks = flag.Int("bench-blocks", 20_000, "length of the bench chain, at least 100")

		mainnet       = flag.String("mainnet", "", "only make a chain of the main network's shape, in this new directory")
		mainnetBlocks = flag.Int("mainnet-blocks", 5_000, "length of that chain, at least 100")
		mainnetEngine = flag.String("mainnet-engine", "pebble", "its store: pebble or leveldb")
		mainnetFrom   = flag.String("mainnet-from", "../../../shared/mainnet-blocks/mainnet-blocks.tar.zst",
			"archive of real blocks; the bench chain is made if it does not exist")
	)
	flag.Parse()
	if *bench != "" {
		if err := produceBench(*geth, *bench, *blocks); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %v\n", err)
			os.Exit(1)
		}
		return
	}
	if *mainnet != "" {
		profile := mainnetProfile{gethDir: *geth, blocks: *mainnetFrom, out: *mainnet, engine: *mainnetEngine, length: *mainnetBlocks}
		if err := produceMainnet(profile); err != nil {
			fmt.Fprintf(os.Stderr, "mainnet: %v\n", err)
			os.Exit(1)
		}
		return
	}
	names := strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })
	for _, name := range names {
		if !slices.ContainsFunc(recipes, func(r recipe) bool { return r.name == name }) {
			fmt.Fprintf(os.Stderr, "no fixture is called %s\n", name)
			os.Exit(2)
		}
	}
	for _, r := range recipes {
		if *list {
			fmt.Println(r.name)
			continue
		}
		if len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		produce := r.produce
		if *record {
			produce = r.rerecord
		}
		err := produce(*geth, *out, *keep)
		for try := 1; try < 3 && errors.Is(err, errEarlySignal); try++ {
			err = produce(*geth, *out, *keep)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", r.name, err)
			os.Exit(1)
		}
	}
}
