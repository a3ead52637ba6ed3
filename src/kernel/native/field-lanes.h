// The field of secp256k1 in lanes of AVX-512 IFMA, for recover-lanes.c. A function calculates with the elements of all lanes at once.
//
// An element is the sum of n[i] * 2^(52 * i), modulo p = 2^256 - 2^32 - 977. Every field_lanes has limbs n[0] to n[3] below 2^52 and n[4]
// below 2^48 + 2^10, so it is below 2 * p. The instructions multiply 52 bits of one word by 52 of another, and add the lower or the
// upper half of the product to a third word. Sums of such halves are columns, five words below 2^60 that carry() makes an element of.
#include <immintrin.h>

#include "lanes.h"

enum { LIMBS = 5, LIMB_BITS = 52, TOP_BITS = 48 };

#define WITH_IFMA __attribute__((target("avx512f,avx512ifma")))
#define INLINE_WITH_IFMA static inline WITH_IFMA __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")

typedef struct {
  lanes n[LIMBS];
} field_lanes;

typedef struct {
  lanes n[LIMBS];
} columns;

static const uint64_t limb_mask = ((uint64_t)1 << LIMB_BITS) - 1;
static const uint64_t top_mask = ((uint64_t)1 << TOP_BITS) - 1;

static const uint64_t p_limbs[LIMBS] = {0xffffefffffc2f, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0xffffffffffff};

// 2^256 modulo p.
static const uint64_t fold = 0x1000003d1;

// The same word in each lane.
INLINE_WITH_IFMA lanes every(uint64_t word) { return (lanes){0} + word; }

INLINE_WITH_IFMA lanes add_low(lanes sum, lanes a, lanes b) {
  return (lanes)_mm512_madd52lo_epu64((__m512i)sum, (__m512i)a, (__m512i)b);
}

INLINE_WITH_IFMA lanes add_high(lanes sum, lanes a, lanes b) {
  return (lanes)_mm512_madd52hi_epu64((__m512i)sum, (__m512i)a, (__m512i)b);
}

// Lanes of a where the mask has ones, of b where it has zeros.
INLINE_WITH_IFMA field_lanes choose(lanes mask, field_lanes a, field_lanes b) {
  field_lanes r;
  UNROLL for (int i = 0; i < LIMBS; i++) r.n[i] = (a.n[i] & mask) | (b.n[i] & ~mask);
  return r;
}

// An element below 2^52.
INLINE_WITH_IFMA field_lanes small(uint64_t value) {
  return (field_lanes){{every(value), every(0), every(0), every(0), every(0)}};
}

// The element whose 256 bits are in four words, the lowest first.
INLINE_WITH_IFMA field_lanes unpack(const lanes words[4]) {
  field_lanes r;
  r.n[0] = words[0] & limb_mask;
  r.n[1] = (words[0] >> 52 | words[1] << 12) & limb_mask;
  r.n[2] = (words[1] >> 40 | words[2] << 24) & limb_mask;
  r.n[3] = (words[2] >> 28 | words[3] << 36) & limb_mask;
  r.n[4] = words[3] >> 16;
  return r;
}

// The element of columns: its bits from 256 on, at most 12, are multiplied by fold and added to the lowest limb.
INLINE_WITH_IFMA field_lanes carry(columns c) {
  field_lanes r;
  lanes sum = add_low(c.n[0], c.n[4] >> TOP_BITS, every(fold));
  c.n[4] &= top_mask;
  UNROLL for (int i = 0; i < LIMBS - 1; i++) {
    r.n[i] = sum & limb_mask;
    sum = c.n[i + 1] + (sum >> LIMB_BITS);
  }
  r.n[4] = sum;
  return r;
}

// Columns of a * 2^bits, at most 3 bits.
INLINE_WITH_IFMA columns shift(field_lanes a, int bits) {
  columns c;
  UNROLL for (int i = 0; i < LIMBS; i++) c.n[i] = a.n[i] << bits;
  return c;
}

// Columns of c - a * 2^bits, at most 3 bits. Adds (2^bits + 1) * p, each limb of which is more than 2^bits times the limb of any element.
INLINE_WITH_IFMA columns subtract(columns c, field_lanes a, int bits) {
  UNROLL for (int i = 0; i < LIMBS; i++) c.n[i] += ((1 << bits) + 1) * p_limbs[i] - (a.n[i] << bits);
  return c;
}

INLINE_WITH_IFMA field_lanes negate(field_lanes a) { return carry(subtract((columns){{every(0)}}, a, 0)); }

// Adds a * b to ten columns.
INLINE_WITH_IFMA void add_product(lanes sums[2 * LIMBS], field_lanes a, field_lanes b) {
  UNROLL for (int i = 0; i < LIMBS; i++) {
    UNROLL for (int j = 0; j < LIMBS; j++) {
      sums[i + j] = add_low(sums[i + j], a.n[i], b.n[j]);
      sums[i + j + 1] = add_high(sums[i + j + 1], a.n[i], b.n[j]);
    }
  }
}

// Columns, below 2^57, of a sum of at most two products. sums[i + 5] counts 2^260 times as much as sums[i], that is 2^4 * fold modulo p. It
// is below 18 * 2^52: its bits from 52 on are multiplied too, instead of a carry, for which the next one would wait (a key takes 4.0 us,
// and 4.4 with carries, 2026-11-25). The last one is below 2^46.
INLINE_WITH_IFMA columns fold_columns(lanes sums[2 * LIMBS]) {
  const lanes factor = every(fold << 4);
  lanes rest = every(0);
  UNROLL for (int i = 0; i < LIMBS; i++) {
    lanes sum = sums[i + LIMBS];
    lanes *next = i < LIMBS - 1 ? sums + i + 1 : &rest;
    sums[i] = add_low(sums[i], sum, factor);
    *next = add_high(*next, sum, factor);
    *next = add_low(*next, sum >> LIMB_BITS, factor);
  }
  columns c;
  UNROLL for (int i = 0; i < LIMBS; i++) c.n[i] = sums[i];
  c.n[0] = add_low(c.n[0], rest, factor);
  c.n[1] = add_high(c.n[1], rest, factor);
  return c;
}

INLINE_WITH_IFMA columns multiply_columns(field_lanes a, field_lanes b) {
  lanes sums[2 * LIMBS] = {0};
  add_product(sums, a, b);
  return fold_columns(sums);
}

// Columns of a * b + c * d.
INLINE_WITH_IFMA columns multiply_twice(field_lanes a, field_lanes b, field_lanes c, field_lanes d) {
  lanes sums[2 * LIMBS] = {0};
  add_product(sums, a, b);
  add_product(sums, c, d);
  return fold_columns(sums);
}

INLINE_WITH_IFMA columns square_columns(field_lanes a) {
  lanes sums[2 * LIMBS] = {0};
  UNROLL for (int i = 0; i < LIMBS; i++) {
    UNROLL for (int j = i + 1; j < LIMBS; j++) {
      sums[i + j] = add_low(sums[i + j], a.n[i], a.n[j]);
      sums[i + j + 1] = add_high(sums[i + j + 1], a.n[i], a.n[j]);
    }
  }
  UNROLL for (int i = 0; i < 2 * LIMBS; i++) sums[i] <<= 1;
  UNROLL for (int i = 0; i < LIMBS; i++) {
    sums[2 * i] = add_low(sums[2 * i], a.n[i], a.n[i]);
    sums[2 * i + 1] = add_high(sums[2 * i + 1], a.n[i], a.n[i]);
  }
  return fold_columns(sums);
}

INLINE_WITH_IFMA field_lanes multiply(field_lanes a, field_lanes b) { return carry(multiply_columns(a, b)); }

INLINE_WITH_IFMA field_lanes square(field_lanes a) { return carry(square_columns(a)); }

// The representative below p.
INLINE_WITH_IFMA field_lanes normalize(field_lanes a) {
  field_lanes r;
  lanes sum = a.n[0] + fold;
  UNROLL for (int i = 0; i < LIMBS - 1; i++) {
    r.n[i] = sum & limb_mask;
    sum = a.n[i + 1] + (sum >> LIMB_BITS);
  }
  r.n[4] = sum & top_mask;
  // a + fold has more than 256 bits if a is at least p.
  return choose((lanes)(sum > top_mask), r, a);
}

// A mask of the lanes that are zero.
INLINE_WITH_IFMA lanes is_zero(field_lanes a) {
  a = normalize(a);
  return (lanes)((a.n[0] | a.n[1] | a.n[2] | a.n[3] | a.n[4]) == 0);
}

// a^(2^times)
static WITH_IFMA field_lanes square_times(field_lanes a, int times) {
  while (times-- > 0) a = square(a);
  return a;
}

// a^((p + 1) / 4), a root of a if it has one. The exponent is 223 ones, 0, 22 ones, 0000, 11, 00 in binary; ones3 is a^(2^3 - 1).
static WITH_IFMA field_lanes square_root(field_lanes a) {
  field_lanes ones2 = multiply(square(a), a);
  field_lanes ones3 = multiply(square(ones2), a);
  field_lanes ones6 = multiply(square_times(ones3, 3), ones3);
  field_lanes ones9 = multiply(square_times(ones6, 3), ones3);
  field_lanes ones11 = multiply(square_times(ones9, 2), ones2);
  field_lanes ones22 = multiply(square_times(ones11, 11), ones11);
  field_lanes ones44 = multiply(square_times(ones22, 22), ones22);
  field_lanes ones88 = multiply(square_times(ones44, 44), ones44);
  field_lanes ones176 = multiply(square_times(ones88, 88), ones88);
  field_lanes ones220 = multiply(square_times(ones176, 44), ones44);
  field_lanes ones223 = multiply(square_times(ones220, 3), ones3);
  field_lanes power = multiply(square_times(ones223, 23), ones22);
  return square_times(multiply(square_times(power, 6), ones2), 2);
}
