// SPDX-License-Identifier: MIT
// What bench/calls.ts runs; contracts.json has the runtime code and selectors by solc 0.8.30 (optimizer 200 runs, evm
// version cancun, no metadata).
pragma solidity ^0.8.20;

contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    string public name = "Bench";
    string public symbol = "BENCH";
    uint8 public constant decimals = 18;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}

interface IPair {
    function getReserves() external view returns (uint112, uint112, uint32);
}

contract Pair {
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private blockTimestampLast;

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, blockTimestampLast);
    }
}

contract Quoter {
    mapping(address => mapping(address => address)) public pairs;

    function getAmountsOut(uint256 amountIn, address[] calldata path) external view returns (uint256[] memory amounts) {
        require(path.length >= 2, "INVALID_PATH");
        amounts = new uint256[](path.length);
        amounts[0] = amountIn;
        for (uint256 i; i < path.length - 1; i++) {
            (address a, address b) = (path[i], path[i + 1]);
            (uint112 r0, uint112 r1, ) = IPair(pairs[a < b ? a : b][a < b ? b : a]).getReserves();
            (uint256 reserveIn, uint256 reserveOut) = a < b ? (uint256(r0), uint256(r1)) : (uint256(r1), uint256(r0));
            require(amounts[i] > 0 && reserveIn > 0 && reserveOut > 0, "INSUFFICIENT");
            uint256 withFee = amounts[i] * 997;
            amounts[i + 1] = (withFee * reserveOut) / (reserveIn * 1000 + withFee);
        }
    }
}

contract Loops {
    mapping(uint256 => uint256) private slots;

    function arithmetic(uint256 n) external pure returns (uint256 x) {
        x = 12345678901234567890;
        unchecked {
            for (uint256 i = 0; i < n; i++) x = x * 6364136223846793005 + i;
        }
    }

    function checkedAdd(uint256 n) external pure returns (uint256 x) {
        for (uint256 i = 0; i < n; i++) x += i;
    }

    function memoryLoop(uint256 n) external pure returns (uint256 x) {
        uint256[] memory a = new uint256[](64);
        unchecked {
            for (uint256 i = 0; i < n; i++) {
                a[i & 63] += i;
                x ^= a[(i * 7) & 63];
            }
        }
    }

    function keccakLoop(uint256 n) external pure returns (bytes32 h) {
        unchecked {
            for (uint256 i = 0; i < n; i++) h = keccak256(abi.encode(h, i));
        }
    }

    function storageLoop(uint256 n) external returns (uint256 x) {
        unchecked {
            for (uint256 i = 0; i < n; i++) {
                slots[i & 15] = i;
                x += slots[(i + 3) & 15];
            }
        }
    }

    function ecrecoverLoop(uint256 n, bytes32 h, uint8 v, bytes32 r, bytes32 s) external pure returns (address x) {
        for (uint256 i = 0; i < n; i++) x = ecrecover(h, v, r, s);
    }

    function deep(uint256 n) external returns (uint256) {
        return n == 0 ? 0 : 1 + Loops(address(this)).deep(n - 1);
    }

    function nested(uint256 n) external view returns (uint256 x) {
        for (uint256 i = 0; i < n; i++) x += this.one();
    }

    function one() external pure returns (uint256) {
        return 1;
    }
}
