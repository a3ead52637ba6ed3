// Command followclient prints what go-ethereum's ethclient hears of a chain: new heads and logs, a line of JSON each, after a
// line that says it listens. Ends with its input.
//
//	go run ./followclient WS_URL
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

type event struct {
	Stream  string `json:"stream"`
	Number  uint64 `json:"number"`
	Hash    string `json:"hash"`
	Index   uint   `json:"index"`
	Removed bool   `json:"removed"`
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client, err := ethclient.DialContext(ctx, url)
	if err != nil {
		return err
	}
	heads := make(chan *types.Header, 1024)
	ofHeads, err := client.SubscribeNewHead(ctx, heads)
	if err != nil {
		return err
	}
	logs := make(chan types.Log, 1024)
	ofLogs, err := client.SubscribeFilterLogs(ctx, ethereum.FilterQuery{}, logs)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	output := json.NewEncoder(os.Stdout)
	if err := output.Encode(map[string]bool{"isReady": true}); err != nil {
		return err
	}
	for {
		var next event
		select {
		case head := <-heads:
			next = event{Stream: "heads", Number: head.Number.Uint64(), Hash: head.Hash().Hex()}
		case log := <-logs:
			next = event{"logs", log.BlockNumber, log.BlockHash.Hex(), log.Index, log.Removed}
		case err := <-ofHeads.Err():
			return fmt.Errorf("heads: %w", err)
		case err := <-ofLogs.Err():
			return fmt.Errorf("logs: %w", err)
		case <-ended:
			return nil
		}
		if err := output.Encode(next); err != nil {
			return err
		}
	}
}
