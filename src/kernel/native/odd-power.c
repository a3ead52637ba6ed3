// Powers modulo odd numbers of up to eight words; OpenSSL takes twice as long for them (2026-11-26).
#include "odd-power.h"

#include <stdbool.h>

typedef unsigned __int128 wide;

// Exponents of more bytes have a table of the first 16 powers.
#define SHORT_EXPONENT 4

// r = a b / 2^(64 words) modulo m: Koç, Acar and Kaliski, "Analyzing and comparing Montgomery multiplication algorithms", CIOS.
static inline __attribute__((always_inline)) void multiply(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m,
                                                           uint64_t inverse, int words) {
  uint64_t t[MOST_WORDS + 2] = {0};
  for (int i = 0; i < words; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < words; j++) {
      wide product = (wide)a[j] * b[i] + t[j] + carry;
      t[j] = (uint64_t)product;
      carry = (uint64_t)(product >> 64);
    }
    wide sum = (wide)t[words] + carry;
    t[words] = (uint64_t)sum;
    t[words + 1] = (uint64_t)(sum >> 64);
    uint64_t factor = t[0] * inverse;
    carry = (uint64_t)(((wide)factor * m[0] + t[0]) >> 64);
    for (int j = 1; j < words; j++) {
      wide product = (wide)factor * m[j] + t[j] + carry;
      t[j - 1] = (uint64_t)product;
      carry = (uint64_t)(product >> 64);
    }
    sum = (wide)t[words] + carry;
    t[words - 1] = (uint64_t)sum;
    t[words] = t[words + 1] + (uint64_t)(sum >> 64);
  }
  uint64_t reduced[MOST_WORDS], borrow = 0;
  for (int j = 0; j < words; j++) {
    wide difference = (wide)t[j] - m[j] - borrow;
    reduced[j] = (uint64_t)difference;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  const uint64_t *least = t[words] < borrow ? t : reduced;
  for (int j = 0; j < words; j++) r[j] = least[j];
}

static inline __attribute__((always_inline)) void power(const uint64_t *m, const uint64_t *one, const uint64_t *base, int words,
                                                        const unsigned char *exponent, size_t size, uint64_t *result) {
  // -1 / m modulo 2^64: each turn doubles the bits that are right, which are three at first.
  uint64_t inverse = m[0];
  for (int i = 0; i < 5; i++) inverse *= 2 - m[0] * inverse;
  inverse = -inverse;
  int bits = size > SHORT_EXPONENT ? 4 : 1;
  uint64_t table[16][MOST_WORDS], sum[MOST_WORDS];
  for (int j = 0; j < words; j++) {
    table[0][j] = sum[j] = one[j];
    table[1][j] = base[j];
  }
  for (int i = 2; i < 1 << bits; i++) multiply(table[i], table[i - 1], base, m, inverse, words);
  bool has_begun = false;
  for (size_t i = 0; i < size; i++) {
    for (int shift = 8 - bits; shift >= 0; shift -= bits) {
      int digit = exponent[i] >> shift & ((1 << bits) - 1);
      if (has_begun)
        for (int k = 0; k < bits; k++) multiply(sum, sum, sum, m, inverse, words);
      if (digit == 0) continue;
      multiply(sum, sum, table[digit], m, inverse, words);
      has_begun = true;
    }
  }
  const uint64_t plain[MOST_WORDS] = {1};
  multiply(result, sum, plain, m, inverse, words);
}

void odd_power(const uint64_t *modulus, const uint64_t *one, const uint64_t *base, int words, const unsigned char *exponent,
               size_t exponent_size, uint64_t *result) {
  // With a constant number of words the compiler makes loops of their own for each.
  switch (words) {
#define CASE(n) \
  case n: power(modulus, one, base, n, exponent, exponent_size, result); break;
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
  }
}
