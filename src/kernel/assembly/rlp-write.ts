// Writes the headers of RLP items.

/** Bytes of the header of a list, or of a string that needs one, with a payload of `length` bytes. */
export function headerSize(length: usize): usize {
  return length < 56 ? 1 : 1 + sizeOf(length)
}

/** Writes the header of a list and returns its end. */
export function putListHeader(target: usize, length: usize): usize {
  return putHeader(target, length, 0xc0)
}

/** Writes the header of a string, which is not a single byte below 0x80, and returns its end. */
export function putStringHeader(target: usize, length: usize): usize {
  return putHeader(target, length, 0x80)
}

function putHeader(target: usize, length: usize, base: u8): usize {
  if (length < 56) {
    store<u8>(target, base + <u8>length)
    return target + 1
  }
  const size = sizeOf(length)
  store<u8>(target, base + 55 + <u8>size)
  for (let i = size; i > 0; i--, length >>= 8) store<u8>(target + i, <u8>length)
  return target + 1 + size
}

function sizeOf(length: usize): usize {
  return length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4
}
