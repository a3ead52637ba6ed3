// Recovers the public keys of eight signatures at once, in the lanes of AVX-512 IFMA, for addon.c. This file also compiles libsecp256k1,
// of which it uses internal parts: scalars, multiples of the generator G, and the conversion of a key to its bytes.
//
// A key is u1 * G + u2 * R with u1 = -hash / r and u2 = s / r. u2 is split into halves of 128 bits by the endomorphism of the curve,
// R1 = R and R2 = lambda * R, u1 into its lower and upper 128 bits. All lanes take the same steps: digits are odd, so none is zero.
//
// The formula of a sum is wrong if the points are equal or opposite. Then and only then z becomes 0, and it remains so: such a signature,
// which is only made on purpose, is left to the library. Nothing here is secret, and the time may depend on the signatures.
#include "recover-lanes.h"

#include "secp256k1.c"

#include "field-lanes.h"

// Digits of u2 have 4 bits, those of u1 have 8. A digit d of BITS bits stands for 2 * d + 1 - 2^BITS, and the ENTRIES of a table are for
// the odd numbers below 2^BITS.
enum { POINT_BITS = 4, POINT_ENTRIES = 1 << (POINT_BITS - 1), BASE_BITS = 8, BASE_ENTRIES = 1 << (BASE_BITS - 1), HALF_BITS = 128 };

typedef struct {
  field_lanes x, y;
} affine_lanes;

typedef struct {
  field_lanes x, y, z;
} jacobian_lanes;

// What is to be computed: x and the parity of y of R, and the factors as digits. is_even has ones where a half of u2 is even: its digits
// are those of an odd neighbour, and last_digit is the difference.
typedef struct {
  lanes x[4], y_parity;
  lanes base_digits[2][2];
  lanes point_digits[2][2], last_digit[2], is_even[2];
} factors;

// Odd multiples of R1 and R2, from 1 to 15, which have the same y. On the curve of G they have a z, the same for all; on a curve that is
// scaled by it they are affine, which saves multiplications.
typedef struct {
  field_lanes x[2][POINT_ENTRIES], y[POINT_ENTRIES], z;
} multiples;

INLINE_WITH_IFMA field_lanes negate_where(lanes mask, field_lanes a) { return choose(mask, negate(a), a); }

static WITH_IFMA void double_times(jacobian_lanes *point, int times) {
  field_lanes x = point->x, y = point->y, z = point->z;
  while (times-- > 0) {
    columns slope = square_columns(x);
    UNROLL for (int i = 0; i < LIMBS; i++) slope.n[i] *= 3;
    field_lanes e = carry(slope), yy = square(y), yyyy = square(yy), xyy = multiply(x, yy);
    columns yz = multiply_columns(y, z);
    UNROLL for (int i = 0; i < LIMBS; i++) yz.n[i] *= 2;
    z = carry(yz);
    x = carry(subtract(square_columns(e), xyy, 3));
    y = carry(subtract(multiply_columns(e, carry(subtract(shift(xyy, 2), x, 0))), yyyy, 3));
  }
  *point = (jacobian_lanes){x, y, z};
}

// Adds an affine point. z is that of the sum on the curve of this point, which may be another one than the sum's. Returns by what the z of
// the sum was multiplied.
static WITH_IFMA field_lanes add_point(jacobian_lanes *sum, const affine_lanes *point, field_lanes z) {
  field_lanes zz = square(z), zzz = multiply(zz, z);
  field_lanes h = carry(subtract(multiply_columns(point->x, zz), sum->x, 0));
  field_lanes r = carry(subtract(multiply_columns(point->y, zzz), sum->y, 0));
  field_lanes hh = square(h), hhh = multiply(hh, h), v = multiply(sum->x, hh);
  field_lanes x = carry(subtract(subtract(square_columns(r), hhh, 0), v, 1));
  field_lanes y = carry(multiply_twice(r, carry(subtract(shift(v, 0), x, 0)), sum->y, negate(hhh)));
  *sum = (jacobian_lanes){x, y, multiply(sum->z, h)};
  return h;
}

static WITH_IFMA void make_multiples(multiples *table, field_lanes x, field_lanes y) {
  // On a curve that is scaled such that 2 * R is affine.
  jacobian_lanes twice = {x, y, small(1)};
  double_times(&twice, 1);
  const affine_lanes step = {twice.x, twice.y};
  field_lanes zz = square(twice.z), ratios[POINT_ENTRIES];
  jacobian_lanes point = {multiply(x, zz), multiply(y, multiply(zz, twice.z)), small(1)};
  for (int i = 0; i < POINT_ENTRIES; i++) {
    if (i > 0) ratios[i] = add_point(&point, &step, point.z);
    table->x[0][i] = point.x;
    table->y[i] = point.y;
  }
  table->z = multiply(point.z, twice.z);

  field_lanes beta, ratio = small(1);
  for (int i = 0; i < LIMBS; i++) beta.n[i] = every(secp256k1_const_beta.n[i]);
  for (int i = POINT_ENTRIES - 1; i >= 0; i--) {
    zz = square(ratio);
    table->x[0][i] = multiply(table->x[0][i], zz);
    table->y[i] = multiply(table->y[i], multiply(zz, ratio));
    table->x[1][i] = multiply(table->x[0][i], beta);
    if (i > 0) ratio = multiply(ratio, ratios[i]);
  }
}

INLINE_WITH_IFMA affine_lanes look_up(const multiples *table, int half, lanes digit) {
  lanes is_negative = (lanes)(digit < POINT_ENTRIES);
  lanes index = (digit ^ is_negative) & (POINT_ENTRIES - 1);
  affine_lanes point = {table->x[half][0], table->y[0]};
  UNROLL for (int i = 1; i < POINT_ENTRIES; i++) {
    lanes mask = (lanes)(index == i);
    point.x = choose(mask, table->x[half][i], point.x);
    point.y = choose(mask, table->y[i], point.y);
  }
  point.y = negate_where(is_negative, point.y);
  return point;
}

// A table of the library: odd multiples of G, or of 2^128 * G.
INLINE_WITH_IFMA affine_lanes look_up_base(const secp256k1_ge_storage *table, lanes digit) {
  lanes is_negative = (lanes)(digit < BASE_ENTRIES);
  lanes index = (digit ^ is_negative) & (BASE_ENTRIES - 1);
  lanes words[8];
  UNROLL for (int i = 0; i < 8; i++) words[i] = (lanes)_mm512_i64gather_epi64((__m512i)(index * 8), (const uint64_t *)table + i, 8);
  return (affine_lanes){unpack(words), negate_where(is_negative, unpack(words + 4))};
}

// The digit at a bit of a number of 128 bits.
INLINE_WITH_IFMA lanes digit_at(const lanes words[2], int bit, int bits) { return words[bit / 64] >> bit % 64 & ((1 << bits) - 1); }

static WITH_IFMA void add_multiple(jacobian_lanes *sum, const multiples *table, int half, lanes digit) {
  affine_lanes point = look_up(table, half, digit);
  add_point(sum, &point, sum->z);
}

static WITH_IFMA void add_base_multiple(jacobian_lanes *sum, const secp256k1_ge_storage *table, lanes digit, const field_lanes *z) {
  affine_lanes point = look_up_base(table, digit);
  add_point(sum, &point, multiply(sum->z, *z));
}

// Writes the keys, and ones for each lane that is known to have one.
static WITH_IFMA void add_all(const factors *in, jacobian_lanes *keys, lanes *has_key) {
  field_lanes x = unpack(in->x);
  columns cubic = multiply_columns(square(x), x);
  cubic.n[0] += 7;
  field_lanes yy = carry(cubic), y = normalize(square_root(yy));
  lanes is_on_curve = is_zero(carry(subtract(square_columns(y), yy, 0)));
  multiples table;
  make_multiples(&table, x, negate_where((lanes)((y.n[0] & 1) != in->y_parity), y));

  const int top = HALF_BITS - POINT_BITS;
  affine_lanes first = look_up(&table, 0, digit_at(in->point_digits[0], top, POINT_BITS));
  jacobian_lanes sum = {first.x, first.y, small(1)};
  add_multiple(&sum, &table, 1, digit_at(in->point_digits[1], top, POINT_BITS));
  for (int bit = top - POINT_BITS; bit >= 0; bit -= POINT_BITS) {
    double_times(&sum, POINT_BITS);
    for (int half = 0; half < 2; half++) add_multiple(&sum, &table, half, digit_at(in->point_digits[half], bit, POINT_BITS));
    if (bit % BASE_BITS != 0) continue;
    add_base_multiple(&sum, secp256k1_pre_g, digit_at(in->base_digits[0], bit, BASE_BITS), &table.z);
    add_base_multiple(&sum, secp256k1_pre_g_128, digit_at(in->base_digits[1], bit, BASE_BITS), &table.z);
  }
  for (int half = 0; half < 2; half++) {
    jacobian_lanes next = sum;
    add_multiple(&next, &table, half, in->last_digit[half]);
    sum.x = choose(in->is_even[half], next.x, sum.x);
    sum.y = choose(in->is_even[half], next.y, sum.y);
    sum.z = choose(in->is_even[half], next.z, sum.z);
  }
  *keys = (jacobian_lanes){sum.x, sum.y, multiply(sum.z, table.z)};
  *has_key = is_on_curve & ~is_zero(keys->z);
}

bool has_recover_lanes(void) { return has_avx512(bit_AVX512F | bit_AVX512IFMA); }

// Reads a signature. False if r or s is not from 1 to n - 1, or if the hash is 0 modulo n, which has no odd digits.
static bool parse(const unsigned char *signature, secp256k1_scalar *hash, secp256k1_scalar *r, secp256k1_scalar *s) {
  int r_overflows, s_overflows;
  secp256k1_scalar_set_b32(hash, signature, NULL);
  secp256k1_scalar_set_b32(r, signature + 32, &r_overflows);
  secp256k1_scalar_set_b32(s, signature + 64, &s_overflows);
  return !r_overflows && !s_overflows && !secp256k1_scalar_is_zero(r) && !secp256k1_scalar_is_zero(s) && !secp256k1_scalar_is_zero(hash);
}

// Sets the digits of a lane. An odd k of N bits has those of (k + 2^N - 1) / 2, and -k has their complements.
static WITH_IFMA void set_digits(factors *in, uint32_t lane, secp256k1_scalar u1, const secp256k1_scalar *u2) {
  // n - u1 is odd if u1 is even.
  uint64_t flip = secp256k1_scalar_is_even(&u1) ? ~(uint64_t)0 : 0;
  if (flip != 0) secp256k1_scalar_negate(&u1, &u1);
  for (int word = 0; word < 4; word++) {
    uint64_t above = word < 3 ? u1.d[word + 1] : 1;
    in->base_digits[word / 2][word % 2][lane] = (u1.d[word] >> 1 | above << 63) ^ flip;
  }
  secp256k1_scalar halves[2];
  secp256k1_scalar_split_lambda(halves, halves + 1, u2);
  for (int half = 0; half < 2; half++) {
    secp256k1_scalar *k = halves + half;
    flip = secp256k1_scalar_is_high(k) ? ~(uint64_t)0 : 0;
    if (flip != 0) secp256k1_scalar_negate(k, k);
    in->point_digits[half][0][lane] = (k->d[0] >> 1 | k->d[1] << 63) ^ flip;
    in->point_digits[half][1][lane] = (k->d[1] >> 1 | (uint64_t)1 << 63) ^ flip;
    in->is_even[half][lane] = (k->d[0] & 1) - 1;
    in->last_digit[half][lane] = flip != 0 ? POINT_ENTRIES : POINT_ENTRIES - 1;
  }
}

// Writes keys of which z is not 0.
static void write_keys(const jacobian_lanes *sums, unsigned char *keys, uint32_t found) {
  secp256k1_gej points[LANES];
  secp256k1_ge affine[LANES];
  for (int i = 0; i < LANES; i++) {
    points[i].infinity = !(found >> i & 1);
    for (int limb = 0; limb < LIMBS; limb++) {
      points[i].x.n[limb] = sums->x.n[limb][i];
      points[i].y.n[limb] = sums->y.n[limb][i];
      points[i].z.n[limb] = sums->z.n[limb][i];
    }
  }
  secp256k1_ge_set_all_gej_var(affine, points, LANES);
  for (int i = 0; i < LANES; i++)
    if (!affine[i].infinity) secp256k1_eckey_pubkey_serialize65(affine + i, keys + i * KEY_BYTES);
}

WITH_IFMA uint32_t recover_lanes(const unsigned char *signatures, unsigned char *keys, uint32_t count) {
  secp256k1_scalar hashes[LANES], r[LANES], s[LANES], products[LANES], inverse;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (parse(signatures + i * SIGNATURE_BYTES, hashes + i, r + i, s + i)) found |= 1u << i;
    else r[i] = secp256k1_scalar_one;
    products[i] = r[i];
    if (i > 0) secp256k1_scalar_mul(products + i, products + i - 1, r + i);
  }
  factors in = {0};
  secp256k1_scalar_inverse_var(&inverse, products + count - 1);
  for (uint32_t i = count; i-- > 0;) {
    secp256k1_scalar inverse_of_r = inverse, u1, u2;
    if (i > 0) secp256k1_scalar_mul(&inverse_of_r, &inverse, products + i - 1);
    secp256k1_scalar_mul(&inverse, &inverse, r + i);
    secp256k1_scalar_mul(&u1, &inverse_of_r, hashes + i);
    secp256k1_scalar_negate(&u1, &u1);
    secp256k1_scalar_mul(&u2, &inverse_of_r, s + i);
    set_digits(&in, i, u1, &u2);
    for (int word = 0; word < 4; word++) in.x[word][i] = r[i].d[word];
    in.y_parity[i] = signatures[i * SIGNATURE_BYTES + 96] & 1;
  }
  jacobian_lanes sums;
  lanes has_key;
  add_all(&in, &sums, &has_key);
  for (int i = 0; i < LANES; i++)
    if (has_key[i] == 0) found &= ~(1u << i);
  write_keys(&sums, keys, found);
  return found;
}
