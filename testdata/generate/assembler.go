// A small EVM assembler for the contracts of the chains.

package main

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/core/vm"
)

// assemble turns assembly text into bytecode. Words are separated by white space:
//
//	NAME     an opcode
//	12 0xab  a number, pushed with the shortest PUSH (zero as PUSH1 00, so that old forks accept it)
//	name:    a JUMPDEST with a name
//	@name    the position of a JUMPDEST (or of a mark), pushed as PUSH2
//	.name    a mark: a named position without a JUMPDEST
//	#00ff    raw bytes
//	; …      a comment up to the end of the line
func assemble(source string) []byte {
	var (
		code   []byte
		labels = map[string]int{}
		uses   = map[int]string{}
	)
	for _, line := range strings.Split(source, "\n") {
		line, _, _ = strings.Cut(line, ";")
		for _, word := range strings.Fields(line) {
			switch {
			case strings.HasSuffix(word, ":"):
				labels[strings.TrimSuffix(word, ":")] = len(code)
				code = append(code, byte(vm.JUMPDEST))
			case word[0] == '.':
				labels[word[1:]] = len(code)
			case word[0] == '@':
				uses[len(code)+1] = word[1:]
				code = append(code, byte(vm.PUSH2), 0, 0)
			case word[0] == '#':
				code = append(code, unhex(word[1:])...)
			case word[0] >= '0' && word[0] <= '9':
				number, ok := new(big.Int).SetString(word, 0)
				if !ok {
					panic("bad number " + word)
				}
				digits := number.Bytes()
				if len(digits) == 0 {
					digits = []byte{0}
				}
				code = append(code, byte(vm.PUSH1)+byte(len(digits)-1))
				code = append(code, digits...)
			default:
				op := vm.StringToOp(word)
				if op == vm.STOP && word != "STOP" {
					panic("unknown opcode " + word)
				}
				code = append(code, byte(op))
			}
		}
	}
	for at, name := range uses {
		target, ok := labels[name]
		if !ok {
			panic("unknown label " + name)
		}
		binary.BigEndian.PutUint16(code[at:], uint16(target))
	}
	return code
}

// deployer is init code that returns the given runtime code.
func deployer(runtime []byte) []byte {
	return append(assemble(fmt.Sprintf("%d DUP1 @code 0 CODECOPY 0 RETURN .code", len(runtime))), runtime...)
}
