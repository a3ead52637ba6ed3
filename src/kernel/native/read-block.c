// Reads stored blocks of tables and verifies their checksums, for addon.c: with one call instead of Node's, and with the processor's
// instruction for CRC-32C.
#include "read-block.h"

#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

// Bytes of a lane. The instruction waits for the one before; three lanes side by side fill the wait, as in ../assembly/crc32c.ts.
enum { LANE = 256 };

// x^(8 n - 33) modulo the polynomial, bits reversed, for n bytes: what the instruction leaves of a product by it is the remainder after n
// more zero bytes.
enum { AFTER_LANE = 0xb9e02b86, AFTER_TWO_LANES = 0xdd7e3b0c };

#define WITH_CRC32C __attribute__((target("sse4.2,crc32,pclmul")))

bool has_read_block(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) && (c & bit_PCLMUL);
}

// The remainder of a word after another remainder.
static inline WITH_CRC32C uint64_t step(uint64_t crc, const unsigned char *input) {
  uint64_t word;
  memcpy(&word, input, 8);
  return _mm_crc32_u64(crc, word);
}

static inline WITH_CRC32C uint64_t after_zeros(uint64_t crc, uint32_t zeros) {
  __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(crc), _mm_cvtsi64_si128(zeros), 0);
  return _mm_crc32_u64(0, _mm_cvtsi128_si64(product));
}

static WITH_CRC32C uint32_t crc32c(const unsigned char *input, size_t length) {
  const unsigned char *end = input + length;
  uint64_t crc = 0xffffffff;
  for (; end - input >= 3 * LANE; input += 2 * LANE) {
    uint64_t second = 0, third = 0;
    for (const unsigned char *lane_end = input + LANE; input < lane_end; input += 8) {
      crc = step(crc, input);
      second = step(second, input + LANE);
      third = step(third, input + 2 * LANE);
    }
    crc = after_zeros(crc, AFTER_TWO_LANES) ^ after_zeros(second, AFTER_LANE) ^ third;
  }
  for (; end - input >= 8; input += 8) crc = step(crc, input);
  for (; input < end; input++) crc = _mm_crc32_u8(crc, *input);
  return ~(uint32_t)crc;
}

// The system call of Linux: the addon uses no C library. Gives the number of bytes read, 0 at the end of the file, or less for an error.
static int64_t read_at(int descriptor, void *bytes, size_t length, uint64_t offset) {
  enum { PREAD64 = 17 };
  register uint64_t place __asm__("r10") = offset;
  int64_t read;
  __asm__ volatile("syscall"
                   : "=a"(read)
                   : "a"(PREAD64), "D"((int64_t)descriptor), "S"(bytes), "d"(length), "r"(place)
                   : "rcx", "r11", "memory");
  return read;
}

bool read_block(int descriptor, uint64_t offset, uint32_t length, unsigned char *block) {
  // A block is read at once, unless a signal came or the file ends: then the caller reads it again.
  if (read_at(descriptor, block, (size_t)length + BLOCK_TRAILER_BYTES, offset) != (int64_t)length + BLOCK_TRAILER_BYTES) return false;
  uint32_t stored, crc = crc32c(block, (size_t)length + 1);
  memcpy(&stored, block + length + 1, 4);
  // The stored form: ../crc32c.ts.
  return stored == ((crc >> 15 | crc << 17) + 0xa282ead8);
}
