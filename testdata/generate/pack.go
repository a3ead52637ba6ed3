// Packs of data directories: tar under Brotli.

package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
)

// kept says whether a file of a data directory belongs into a pack: the chain's data, nothing of the network or the
// machine (keys, secrets, peers, transaction pools).
func kept(path string) bool {
	for _, part := range []string{"geth/LOCK", "geth/chaindata/", "geth/lightchaindata/", "geth/triedb/"} {
		if path == part || strings.HasPrefix(path, part) {
			return true
		}
	}
	return false
}

// packed says what a pack came to.
type packed struct {
	checksum string
	size     int
}

// packDirectory writes the data directory and its description as NAME.tar.br: a tar with fixed times and owners, so
// that equal directories give equal packs, compressed with Brotli, which Node can unpack by itself.
func packDirectory(dir string, meta any, target string) (packed, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	add := func(name string, content []byte) error {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content)),
			ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := writer.WriteHeader(header); err != nil {
			return err
		}
		_, err := writer.Write(content)
		return err
	}
	description, err := json.MarshalIndent(meta, "", " ")
	if err != nil {
		return packed{}, err
	}
	if err := add("meta.json", append(description, '\n')); err != nil {
		return packed{}, err
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || !kept(filepath.ToSlash(name)) {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return add("datadir/"+filepath.ToSlash(name), content)
	})
	if err != nil {
		return packed{}, fmt.Errorf("packing %s: %w", dir, err)
	}
	if err := writer.Close(); err != nil {
		return packed{}, err
	}
	var out bytes.Buffer
	compressor := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: 11, LGWin: 24})
	if _, err := compressor.Write(archive.Bytes()); err != nil {
		return packed{}, err
	}
	if err := compressor.Close(); err != nil {
		return packed{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return packed{hex.EncodeToString(sum[:]), out.Len()}, os.WriteFile(target, out.Bytes(), 0o644)
}

// unpack puts the data directory of a pack into dir and returns its description.
func unpack(pack, dir string) (facts, error) {
	var description facts
	file, err := os.Open(pack)
	if err != nil {
		return description, err
	}
	defer file.Close()
	for reader := tar.NewReader(brotli.NewReader(file)); ; {
		header, err := reader.Next()
		if err == io.EOF {
			return description, nil
		}
		if err != nil {
			return description, fmt.Errorf("%s: %w", pack, err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			return description, fmt.Errorf("%s: %w", pack, err)
		}
		if header.Name == "meta.json" {
			if err := json.Unmarshal(content, &description); err != nil {
				return description, fmt.Errorf("%s: %w", pack, err)
			}
			continue
		}
		target := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(header.Name, "datadir/")))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return description, err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return description, err
		}
	}
}
