// Stock geth: running its commands, and a node with its HTTP and authenticated ports.

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// node is a stock geth with its data directory and the choices that its directory keeps for life.
type node struct {
	binary  string
	dir     string
	engine  string // leveldb or pebble
	scheme  string // hash or path
	archive bool
	extra   []string // further flags for every command that opens the directory
	// startFlags are further flags for a node that runs
	startFlags []string
}

func (n node) flags() []string {
	mode := "full"
	if n.archive {
		mode = "archive"
	}
	return append([]string{"--datadir", n.dir, "--state.scheme", n.scheme, "--gcmode", mode, "--cache", "64"}, n.extra...)
}

func (n node) run(arguments ...string) error {
	command := exec.Command(n.binary, arguments...)
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, output)
	}
	return nil
}

func (n node) init(genesis string) error {
	return n.run("init", "--datadir", n.dir, "--state.scheme", n.scheme, "--db.engine", n.engine, genesis)
}

// importBlocks runs geth import, which compacts the store at the end; the last imported block becomes the head.
func (n node) importBlocks(files ...string) error {
	return n.run(append(append([]string{"import"}, n.flags()...), files...)...)
}

// importWithoutCompaction leaves what it wrote in the store's write-ahead log.
func (n node) importWithoutCompaction(files ...string) error {
	return n.run(append(append([]string{"import", "--nocompaction"}, n.flags()...), files...)...)
}

// running is a started node.
type running struct {
	command *exec.Cmd
	exited  chan error
	log     *bytes.Buffer
	http    string
	auth    string
	secret  []byte
}

func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// start starts geth with HTTP on a free local port and waits until it answers.
func (n node) start(extra ...string) (*running, error) {
	httpPort, authPort := freePort(), freePort()
	flags := append(n.flags(), "--syncmode", "full", "--nodiscover", "--maxpeers", "0", "--ipcdisable", "--port", "0", "--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(httpPort),
		"--http.api", "eth,net,web3,debug,txpool,admin", "--authrpc.addr", "127.0.0.1", "--authrpc.port", fmt.Sprint(authPort))
	flags = append(append(flags, n.startFlags...), extra...)
	r := &running{
		command: exec.Command(n.binary, flags...),
		exited:  make(chan error, 1),
		log:     new(bytes.Buffer),
		http:    fmt.Sprintf("http://127.0.0.1:%d", httpPort),
		auth:    fmt.Sprintf("http://127.0.0.1:%d", authPort),
	}
	r.command.Stdout, r.command.Stderr = r.log, r.log
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	go func() { r.exited <- r.command.Wait() }()
	deadline := time.Now().Add(60 * time.Second)
	for {
		select {
		case err := <-r.exited:
			return nil, fmt.Errorf("geth did not start: %w\n%s", err, r.log)
		default:
		}
		if _, err := r.call("eth_chainId"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			r.command.Process.Kill()
			return nil, fmt.Errorf("geth does not answer\n%s", r.log)
		}
		time.Sleep(100 * time.Millisecond)
	}
	digits, err := os.ReadFile(filepath.Join(n.dir, "geth", "jwtsecret"))
	if err != nil {
		return nil, err
	}
	r.secret = common.FromHex(strings.TrimSpace(string(digits)))
	// geth answers a while before it handles signals
	time.Sleep(2 * time.Second)
	return r, nil
}

// runFor starts geth and kills it after a while, whatever it is doing.
func (n node) runFor(length time.Duration) error {
	command := exec.Command(n.binary, append(n.flags(), "--nodiscover", "--maxpeers", "0", "--ipcdisable", "--port", "0",
		"--authrpc.port", fmt.Sprint(freePort()))...)
	if err := command.Start(); err != nil {
		return err
	}
	time.Sleep(length)
	if err := command.Process.Kill(); err != nil {
		return err
	}
	command.Wait() // reports the kill
	return nil
}

// post sends a body as it is and returns the answer as it is.
func post(url string, body []byte, header http.Header) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

func callURL(url string, header http.Header, method string, params []any) (json.RawMessage, error) {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	raw, err := post(url, body, header)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("%s answered %q: %w", method, raw, err)
	}
	if answer.Error != nil {
		return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
	}
	return answer.Result, nil
}

func (r *running) call(method string, params ...any) (json.RawMessage, error) {
	return callURL(r.http, http.Header{}, method, params)
}

// token is the JWT that the authenticated port asks for.
func (r *running) token() string {
	encode := base64.RawURLEncoding.EncodeToString
	head := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(fmt.Appendf(nil, `{"iat":%d}`, time.Now().Unix()))
	mac := hmac.New(sha256.New, r.secret)
	mac.Write([]byte(head))
	return head + "." + encode(mac.Sum(nil))
}

// forkchoice sets the head, safe and finalized blocks as a consensus client does.
func (r *running) forkchoice(head, safe, finalized common.Hash) error {
	state := map[string]any{"headBlockHash": head, "safeBlockHash": safe, "finalizedBlockHash": finalized}
	header := http.Header{"Authorization": {"Bearer " + r.token()}}
	result, err := callURL(r.auth, header, "engine_forkchoiceUpdatedV1", []any{state, nil})
	if err != nil {
		return err
	}
	var answer struct{ PayloadStatus struct{ Status string } }
	if err := json.Unmarshal(result, &answer); err != nil {
		return err
	}
	if answer.PayloadStatus.Status != "VALID" {
		return fmt.Errorf("forkchoice answered %s", result)
	}
	return nil
}

// errEarlySignal means that a signal came before geth handled signals and ended it like a kill.
var errEarlySignal = errors.New("geth was stopped before it could handle that")

// stop ends geth with SIGINT, repeated because geth can lose one that comes early.
func (r *running) stop() error {
	for range 20 {
		r.command.Process.Signal(syscall.SIGINT)
		select {
		case err := <-r.exited:
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
				return errEarlySignal
			}
			if err != nil {
				return fmt.Errorf("geth ended with %w\n%s", err, r.log)
			}
			return nil
		case <-time.After(3 * time.Second):
		}
	}
	r.command.Process.Kill()
	return errors.New("geth did not stop")
}

// kill ends geth with SIGKILL.
func (r *running) kill() {
	r.command.Process.Kill()
	<-r.exited
}

// frozen counts the blocks in the chain freezer by the size of the hash table's index (6 bytes an entry, one too many).
func (n node) frozen() uint64 {
	info, err := os.Stat(filepath.Join(n.dir, "geth", "chaindata", "ancient", "chain", "hashes.ridx"))
	if err != nil || info.Size() < 6 {
		return 0
	}
	return uint64(info.Size()/6 - 1)
}

// waitUntil polls a condition for at most a limit.
func waitUntil(what string, limit time.Duration, done func() bool) error {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if done() {
			return nil
		}
	}
	return fmt.Errorf("%s did not happen within %s", what, limit)
}
