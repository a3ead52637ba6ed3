package main

import (
	"archive/tar"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/andybalholm/brotli"
)

// pack writes the files of a store and its description as a tar under Brotli: meta.json, then datadir/NAME.
func pack(dir string, description any, target string) error {
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
	text, err := json.MarshalIndent(description, "", " ")
	if err != nil {
		return err
	}
	if err := add("meta.json", append(text, '\n')); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() || entry.Name() == "LOG" || entry.Name() == "LOG.old" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		if err := add("datadir/"+entry.Name(), content); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	var out bytes.Buffer
	compressor := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: 11, LGWin: 24})
	if _, err := compressor.Write(archive.Bytes()); err != nil {
		return err
	}
	if err := compressor.Close(); err != nil {
		return err
	}
	return os.WriteFile(target, out.Bytes(), 0o644)
}

// unpack puts the files of a pack into dir.
func unpack(path, dir string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for reader := tar.NewReader(brotli.NewReader(file)); ; {
		header, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(header.Name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
	}
}

// copyFiles copies the files of a store that may be open, as a kill would leave them.
func copyFiles(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, entry.Name()), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func hexKeys(keys [][]byte) []string {
	texts := []string{}
	for _, key := range keys {
		texts = append(texts, hex.EncodeToString(key))
	}
	return texts
}
