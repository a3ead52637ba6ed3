// Keccak-256 of many inputs, eight at a time in the lanes of AVX-512, for addon.c. The steps of a round are those of
// ../assembly/keccak.ts.
#include "keccak-lanes.h"

#include <string.h>

#include "lanes.h"

enum { RATE = 136, RATE_WORDS = RATE / 8, STATE_WORDS = 25, ROUNDS = 24 };

static const uint64_t round_constants[ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

// Where lane i of a state goes, and by how many bits it is rotated.
static const unsigned char places[STATE_WORDS] = {0,  10, 20, 5, 15, 16, 1, 11, 21, 6, 7, 17, 2,
                                                  12, 22, 23, 8, 18, 3, 13, 14, 24, 9, 19, 4};
static const unsigned char rotations[STATE_WORDS] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3, 10, 43,
                                                     25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};

#define WITH_AVX512 __attribute__((target("avx512f")))

static inline WITH_AVX512 lanes rotate(lanes value, unsigned bits) {
  return bits == 0 ? value : (value << bits) | (value >> (64 - bits));
}

static WITH_AVX512 void permute(lanes state[STATE_WORDS]) {
  lanes a[STATE_WORDS], b[STATE_WORDS], c[5];
  memcpy(a, state, sizeof a);
  for (int round = 0; round < ROUNDS; round++) {
#pragma clang loop unroll(full)
    for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma clang loop unroll(full)
    for (int i = 0; i < STATE_WORDS; i++)
      b[places[i]] = rotate(a[i] ^ c[(i + 4) % 5] ^ rotate(c[(i + 1) % 5], 1), rotations[i]);
#pragma clang loop unroll(full)
    for (int i = 0; i < STATE_WORDS; i++) a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
    a[0] ^= round_constants[round];
  }
  memcpy(state, a, sizeof a);
}

// An input in a lane, or none if its hash is NULL.
typedef struct {
  const unsigned char *rest;
  size_t length;
  unsigned char *hash;
} input;

WITH_AVX512 void keccak_lanes(unsigned char *memory, uint32_t table, uint32_t count, uint32_t hashes) {
  lanes state[STATE_WORDS];
  uint64_t(*words)[LANES] = (uint64_t(*)[LANES])state;
  input inputs[LANES] = {0};
  for (uint32_t next = 0, busy = 0; next < count || busy > 0;) {
    for (int lane = 0; lane < LANES; lane++) {
      input *in = inputs + lane;
      if (in->hash == NULL) {
        if (next == count) continue;
        uint32_t item[2];
        memcpy(item, memory + table + 8 * (size_t)next, 8);
        *in = (input){memory + item[0], item[1], memory + hashes + 32 * (size_t)next++};
        for (int i = 0; i < STATE_WORDS; i++) words[i][lane] = 0;
        busy++;
      }
      unsigned char last[RATE] = {0};
      const unsigned char *block = in->rest;
      if (in->length < RATE) {
        memcpy(last, in->rest, in->length);
        last[in->length] = 0x01;
        last[RATE - 1] |= 0x80;
        block = last;
      }
      for (int i = 0; i < RATE_WORDS; i++) {
        uint64_t word;
        memcpy(&word, block + 8 * i, 8);
        words[i][lane] ^= word;
      }
    }
    permute(state);
    for (int lane = 0; lane < LANES; lane++) {
      input *in = inputs + lane;
      if (in->hash == NULL) continue;
      if (in->length >= RATE) {
        in->rest += RATE;
        in->length -= RATE;
        continue;
      }
      for (int i = 0; i < 4; i++) memcpy(in->hash + 8 * i, &words[i][lane], 8);
      in->hash = NULL;
      busy--;
    }
  }
}

bool has_keccak_lanes(void) { return has_avx512(bit_AVX512F); }
