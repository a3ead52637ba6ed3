// geth's texts for errors of EthereumJS that have the same meaning. The sizes and positions of geth's texts are not
// available.

const texts: ReadonlyMap<string, string> = new Map([
  ['code store out of gas', 'contract creation code storage out of gas'],
  ['code size to deposit exceeds maximum code size', 'max code size exceeded'],
  ['stack overflow', 'stack limit reached'],
  ['invalid JUMP', 'invalid jump destination'],
  ['value out of range', 'gas uint64 overflow'],
  ['static state change', 'write protection'],
  ['create collision', 'contract address collision'],
  ['value overflow', 'gas uint64 overflow'],
  ['insufficient balance', 'insufficient balance for transfer'],
  ['invalid bytecode deployed', 'invalid code: must not begin with 0xef'],
  ['initcode exceeds max initcode size', 'max initcode size exceeded'],
  ['fp point not in field', 'invalid fp.Element encoding'],
  ['point not on curve', 'invalid point: not on curve'],
  ['kzg commitment does not match versioned hash', 'mismatched versioned hash'],
])

/** geth's text for an EVM error of EthereumJS, or the text of EthereumJS if there is no other. */
export function gethText(message: string): string {
  // The text of a failed jump ends with its position.
  const reason = message.replace(/ at .*$/s, '')
  return texts.get(reason) ?? reason
}
