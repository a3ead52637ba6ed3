// Command freeze moves old blocks of a data directory into its freezer with the code of geth 1.13.15. That release
// itself freezes only what lies 90,000 blocks behind the head, which no small chain reaches.
//
//	go run . CHAINDATA KEEP
//
// keeps the newest KEEP blocks in the key-value store.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ethereum/go-ethereum/core/rawdb"
)

func run(chaindata, keep string) error {
	threshold, err := strconv.ParseUint(keep, 10, 64)
	if err != nil {
		return err
	}
	db, err := rawdb.Open(rawdb.OpenOptions{
		Directory: chaindata, AncientsDirectory: filepath.Join(chaindata, "ancient"), Cache: 64, Handles: 64,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.(interface{ Freeze(uint64) error }).Freeze(threshold); err != nil {
		return err
	}
	frozen, err := db.Ancients()
	if err != nil {
		return err
	}
	fmt.Println(frozen, "blocks in the freezer")
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: freeze CHAINDATA KEEP")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
