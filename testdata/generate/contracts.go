// The contracts of the chains, in assembly.

package main

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

func unhex(digits string) []byte {
	bytes, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return bytes
}

// word is a 32-byte big-endian number.
func word(value any) []byte {
	switch v := value.(type) {
	case int:
		return common.LeftPadBytes(big.NewInt(int64(v)).Bytes(), 32)
	case *big.Int:
		return common.LeftPadBytes(v.Bytes(), 32)
	case common.Address:
		return common.LeftPadBytes(v[:], 32)
	case common.Hash:
		return v[:]
	}
	panic(fmt.Sprintf("no word for %T", value))
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

func eventTopic(signature string) common.Hash { return crypto.Keccak256Hash([]byte(signature)) }

// mapSlot is the storage slot of mapping[key] for a mapping declared at the given slot.
func mapSlot(key []byte, slot []byte) common.Hash {
	return crypto.Keccak256Hash(common.LeftPadBytes(key, 32), common.LeftPadBytes(slot, 32))
}

const (
	// mapping slot of the address on the stack, for the mapping declared at slot 0
	balanceSlot = " 0 MSTORE 0 32 MSTORE 64 0 KECCAK256 "
	// [spender owner] on the stack to the slot of allowance[owner][spender], declared at slot 1
	allowanceSlot = " 0 MSTORE 1 32 MSTORE 64 0 KECCAK256 32 MSTORE 0 MSTORE 64 0 KECCAK256 "
	returnWord    = " 0 MSTORE 32 0 RETURN "
)

// padded is the text as a right-padded 32-byte number.
func padded(text string) string {
	return "0x" + hex.EncodeToString(common.RightPadBytes([]byte(text), 32))
}

// revertError reverts with Solidity's Error(string); the text has at most 32 bytes.
func revertError(text string) string {
	return fmt.Sprintf(" %s 0 MSTORE 32 4 MSTORE %d 36 MSTORE %s 68 MSTORE 100 0 REVERT ",
		"0x08c379a0"+strings.Repeat("00", 28), len(text), padded(text))
}

// dispatch jumps to the label of the selector of each signature, given as name → label.
func dispatch(signatures ...string) string {
	var out strings.Builder
	out.WriteString("0 CALLDATALOAD 0x1" + strings.Repeat("00", 28) + " SWAP1 DIV\n")
	for _, signature := range signatures {
		name, _, _ := strings.Cut(signature, "(")
		fmt.Fprintf(&out, "DUP1 0x%x EQ @%s JUMPI\n", selector(signature), name)
	}
	return out.String()
}

func returnString(text string) string {
	return fmt.Sprintf("32 0 MSTORE %d 32 MSTORE %s 64 MSTORE 96 0 RETURN\n", len(text), padded(text))
}

// tokenCode is an ERC-20 token: balances in a mapping at slot 0, allowances at 1, the total supply in slot 2.
// It uses nothing younger than Frontier but REVERT, so before Byzantium a refused transfer burns all its gas.
func tokenCode(name, symbol string) []byte {
	transferTopic := eventTopic("Transfer(address,address,uint256)").Hex()
	approvalTopic := eventTopic("Approval(address,address,uint256)").Hex()
	return assemble(dispatch(
		"balanceOf(address)", "transfer(address,uint256)", "approve(address,uint256)",
		"transferFrom(address,address,uint256)", "allowance(address,address)", "totalSupply()",
		"decimals()", "symbol()", "name()", "mint(address,uint256)") + `
	0 0 REVERT
balanceOf:
	4 CALLDATALOAD` + balanceSlot + `SLOAD` + returnWord + `
allowance:
	36 CALLDATALOAD 4 CALLDATALOAD` + allowanceSlot + `SLOAD` + returnWord + `
totalSupply:
	2 SLOAD` + returnWord + `
decimals:
	18` + returnWord + `
symbol:
	` + returnString(symbol) + `
name:
	` + returnString(name) + `
approve:
	36 CALLDATALOAD 4 CALLDATALOAD CALLER` + allowanceSlot + `SSTORE
	36 CALLDATALOAD 0 MSTORE
	4 CALLDATALOAD CALLER ` + approvalTopic + ` 32 0 LOG3
	1` + returnWord + `
mint:
	2 SLOAD 36 CALLDATALOAD ADD 2 SSTORE
	4 CALLDATALOAD` + balanceSlot + `DUP1 SLOAD 36 CALLDATALOAD ADD SWAP1 SSTORE
	36 CALLDATALOAD 0 MSTORE
	4 CALLDATALOAD 0 ` + transferTopic + ` 32 0 LOG3
	1` + returnWord + `
transfer:
	CALLER` + balanceSlot + `DUP1 SLOAD 36 CALLDATALOAD   ; slot balance amount
	DUP2 DUP2 GT @poor JUMPI
	SWAP1 SUB SWAP1 SSTORE
	4 CALLDATALOAD` + balanceSlot + `DUP1 SLOAD 36 CALLDATALOAD ADD SWAP1 SSTORE
	36 CALLDATALOAD 0 MSTORE
	4 CALLDATALOAD CALLER ` + transferTopic + ` 32 0 LOG3
	1` + returnWord + `
transferFrom:
	CALLER 4 CALLDATALOAD` + allowanceSlot + `DUP1 SLOAD 68 CALLDATALOAD
	DUP2 DUP2 GT @unapproved JUMPI
	SWAP1 SUB SWAP1 SSTORE
	4 CALLDATALOAD` + balanceSlot + `DUP1 SLOAD 68 CALLDATALOAD
	DUP2 DUP2 GT @poor JUMPI
	SWAP1 SUB SWAP1 SSTORE
	36 CALLDATALOAD` + balanceSlot + `DUP1 SLOAD 68 CALLDATALOAD ADD SWAP1 SSTORE
	68 CALLDATALOAD 0 MSTORE
	36 CALLDATALOAD 4 CALLDATALOAD ` + transferTopic + ` 32 0 LOG3
	1` + returnWord + `
poor:
	` + revertError("insufficient balance") + `
unapproved:
	` + revertError("insufficient allowance"))
}

// loggerCode emits one log: byte 0 of the call data is the number of topics, then come the topics, then the data.
func loggerCode() []byte {
	return assemble(`
	0 CALLDATALOAD 0 BYTE                 ; topics
	DUP1 32 MUL 1 ADD                     ; topics start
	DUP1 CALLDATASIZE SUB                 ; topics start size
	DUP1 DUP3 0 CALLDATACOPY
	SWAP1 POP                             ; topics size
	DUP2 1 EQ @one JUMPI
	DUP2 2 EQ @two JUMPI
	DUP2 3 EQ @three JUMPI
	DUP2 4 EQ @four JUMPI
	0 LOG0 STOP
one:
	1 CALLDATALOAD DUP2 0 LOG1 STOP
two:
	33 CALLDATALOAD 1 CALLDATALOAD DUP3 0 LOG2 STOP
three:
	65 CALLDATALOAD 33 CALLDATALOAD 1 CALLDATALOAD DUP4 0 LOG3 STOP
four:
	97 CALLDATALOAD 65 CALLDATALOAD 33 CALLDATALOAD 1 CALLDATALOAD DUP5 0 LOG4 STOP`)
}

// burstCode emits as many logs as the first word says: topic 0 is the second word, topic 1 counts down to 1.
func burstCode() []byte {
	return assemble(`
	0 CALLDATALOAD
next:
	DUP1 0 EQ @done JUMPI
	DUP1 0 MSTORE
	DUP1 32 CALLDATALOAD 32 0 LOG2
	1 SWAP1 SUB @next JUMP
done:
	STOP`)
}

// sprayCode emits as many logs with four topics and no data as the first word says: the second word, a number that
// counts down to 1, the caller, and that number's remainder by 7.
func sprayCode() []byte {
	return assemble(`
	32 CALLDATALOAD 0 CALLDATALOAD
next:
	DUP1 0 EQ @done JUMPI
	7 DUP2 MOD CALLER DUP3 DUP5 0 0 LOG4
	1 SWAP1 SUB @next JUMP
done:
	STOP`)
}

// boxCode is plain storage: 32 bytes of call data read that slot, longer data are (slot, value) pairs to store.
func boxCode() []byte {
	return assemble(`
	32 CALLDATASIZE EQ @read JUMPI
	0
next:
	DUP1 CALLDATASIZE EQ @done JUMPI
	DUP1 32 ADD CALLDATALOAD DUP2 CALLDATALOAD SSTORE
	64 ADD @next JUMP
done:
	STOP
read:
	0 CALLDATALOAD SLOAD` + returnWord)
}

// failerCode fails in the way that byte 0 of the call data names; the word after it is an argument of some.
func failerCode() []byte {
	ways := []string{
		0:  "0 0 REVERT",
		1:  revertError("not allowed"),
		2:  "0x4e487b71" + strings.Repeat("00", 28) + " 0 MSTORE 1 CALLDATALOAD 4 MSTORE 36 0 REVERT", // Panic(argument)
		3:  "0xcafe0001" + strings.Repeat("00", 28) + " 0 MSTORE 1 CALLDATALOAD 4 MSTORE 36 0 REVERT", // custom error
		4:  "INVALID",
		5:  "forever: @forever JUMP",
		6:  "POP POP ADD",
		7:  "0 JUMP",
		8:  revertError(""),
		9:  "#0c",
		10: "deep: 1 1 @deep JUMP",
		11: "0x08c379a0" + strings.Repeat("00", 28) + " 0 MSTORE 64 4 MSTORE 36 0 REVERT", // Error(string) without a string
		12: "0x08c30000" + strings.Repeat("00", 28) + " 0 MSTORE 2 0 REVERT",
		13: "1 0 0 RETURNDATACOPY",
		14: "1 0xffffffffffffffff MSTORE",
		15: revertError("bad \xff\xfe text"),
		16: "0 CALLDATALOAD 1 SSTORE 1 CALLDATALOAD 2 SSTORE 0 0 REVERT", // writes that must be undone
		17: "32 0x7fffffffff MSTORE",                                     // memory too large to pay for
		18: revertError(`<b>"quoted" & more</b>`),
	}
	source := "0 CALLDATALOAD 0 BYTE\n"
	for i := range ways {
		source += fmt.Sprintf("DUP1 %d EQ @way%d JUMPI\n", i, i)
	}
	source += "STOP\n"
	for i, way := range ways {
		source += fmt.Sprintf("way%d: %s\n", i, way)
	}
	return assemble(source)
}

// probes are the values that probeCode can return, by byte 0 of the call data; A stands for the word after it.
var probes = []struct{ name, source string }{
	{"number", "NUMBER"}, {"timestamp", "TIMESTAMP"}, {"gaslimit", "GASLIMIT"}, {"coinbase", "COINBASE"},
	{"prevrandao", "DIFFICULTY"}, {"gasprice", "GASPRICE"}, {"origin", "ORIGIN"}, {"caller", "CALLER"},
	{"callvalue", "CALLVALUE"}, {"address", "ADDRESS"}, {"gas", "GAS"}, {"codesize", "CODESIZE"},
	{"blockhash", "A BLOCKHASH"}, {"balance", "A BALANCE"}, {"extcodesize", "A EXTCODESIZE"},
	{"extcodehash", "A EXTCODEHASH"}, {"chainid", "CHAINID"}, {"selfbalance", "SELFBALANCE"},
	{"basefee", "BASEFEE"}, {"push0", "PUSH0"}, {"blobhash", "A BLOBHASH"}, {"blobbasefee", "BLOBBASEFEE"},
	{"transient", "A 1 TSTORE 1 TLOAD"}, {"mcopy", "A 0 MSTORE 32 0 32 MCOPY 32 MLOAD"}, {"clz", "A CLZ"},
	{"shift", "A 4 SHR"}, {"msize", "A 64 MSTORE MSIZE"}, {"sload", "A SLOAD"}, {"pc", "PC"},
}

func probe(name string, argument ...[]byte) []byte {
	for i, p := range probes {
		if p.name == name {
			return join(append([][]byte{{byte(i)}}, argument...)...)
		}
	}
	panic("no probe " + name)
}

// probeCode returns one value of the environment, so that a call shows what the EVM sees.
func probeCode() []byte {
	source := "0 CALLDATALOAD 0 BYTE\n"
	for i, p := range probes {
		source += fmt.Sprintf("DUP1 %d EQ @%s JUMPI\n", i, p.name)
	}
	source += "0 0 REVERT\n"
	for _, p := range probes {
		source += p.name + ": " + strings.ReplaceAll(p.source, "A ", "1 CALLDATALOAD ") + returnWord + "\n"
	}
	return assemble(source)
}

// factoryCode creates a contract from init code and logs and returns its address. Byte 0 of the call data is 0 for
// CREATE, 1 for CREATE2; then a word of salt; then the init code. The call's value goes to the new contract.
func factoryCode() []byte {
	return assemble(`
	33 CALLDATASIZE SUB DUP1 33 0 CALLDATACOPY      ; size
	0 CALLDATALOAD 0 BYTE @salted JUMPI
	0 CALLVALUE CREATE @made JUMP
salted:
	1 CALLDATALOAD SWAP1 0 CALLVALUE CREATE2
made:
	DUP1 0 0 LOG1` + returnWord)
}

// proxyCode calls the address in the word after byte 0 with the rest of the call data: byte 0 is 0 for CALL, 1 for
// DELEGATECALL, 2 for STATICCALL, 3 for CALLCODE. It passes on return data and, from Byzantium, reverts.
func proxyCode() []byte {
	return assemble(`
	33 CALLDATASIZE SUB DUP1 33 0 CALLDATACOPY      ; size
	0 CALLDATALOAD 0 BYTE
	DUP1 1 EQ @delegate JUMPI
	DUP1 2 EQ @static JUMPI
	3 EQ @callcode JUMPI
	0 0 DUP3 0 CALLVALUE 1 CALLDATALOAD GAS CALL @finish JUMP
delegate:
	0 0 DUP4 0 1 CALLDATALOAD GAS DELEGATECALL @finish JUMP
static:
	0 0 DUP4 0 1 CALLDATALOAD GAS STATICCALL @finish JUMP
callcode:
	0 0 DUP3 0 CALLVALUE 1 CALLDATALOAD GAS CALLCODE
finish:
	RETURNDATASIZE 0 0 RETURNDATACOPY
	@good JUMPI
	RETURNDATASIZE 0 REVERT
good:
	RETURNDATASIZE 0 RETURN`)
}

// mortalCode stores a word when called with two, and destroys itself for the address in its call data when called with one.
func mortalCode() []byte {
	return assemble(`
	64 CALLDATASIZE EQ @store JUMPI
	0 CALLDATALOAD SELFDESTRUCT
store:
	32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP`)
}
