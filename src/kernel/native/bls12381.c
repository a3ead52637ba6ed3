// BLS12-381 by blst; see curve.h. Values are as mcl stores them: a field element has 48 bytes, a scalar 32, a point three coordinates
// (Jacobian), an element of the target group 12 field elements.
#include "curve.h"

#include <blst.h>

#define FP sizeof(blst_fp)
#define FR sizeof(blst_scalar)
#define G1 sizeof(blst_p1)
#define G2 sizeof(blst_p2)
#define GT sizeof(blst_fp12)

// What bls12381.ts multiplies at once.
#define MOST_POINTS 128
// Enough for so many points; otherwise each is multiplied alone.
#define SCRATCH_BYTES 65536
#define SCALAR_BITS 255

#define RUN(name) static int name(unsigned char *memory, const uint32_t *v)
#define AT(type, i) ((type *)(memory + v[i]))

#define GROUP(point, affine, is_in_group)                                                                                \
  RUN(point##_clear) {                                                                                                              \
    *AT(blst_##point, 0) = (blst_##point){0};                                                                                       \
    return 0;                                                                                                                       \
  }                                                                                                                                 \
  RUN(point##_is_zero) { return blst_##point##_is_inf(AT(blst_##point, 0)); }                                                       \
  RUN(point##_is_valid) { return blst_##point##_on_curve(AT(blst_##point, 0)); }                                                    \
  RUN(point##_is_valid_order) { return blst_##point##_is_inf(AT(blst_##point, 0)) || is_in_group(AT(blst_##point, 0)); }            \
  RUN(point##_normalize) {                                                                                                          \
    affine normal;                                                                                                                  \
    blst_##point##_to_affine(&normal, AT(blst_##point, 1));                                                                         \
    blst_##point##_from_affine(AT(blst_##point, 0), &normal);                                                                       \
    return 0;                                                                                                                       \
  }                                                                                                                                 \
  RUN(point##_add) {                                                                                                                \
    blst_##point##_add_or_double(AT(blst_##point, 0), AT(blst_##point, 1), AT(blst_##point, 2));                                    \
    return 0;                                                                                                                       \
  }                                                                                                                                 \
  RUN(point##_sub) {                                                                                                                \
    blst_##point negative = *AT(blst_##point, 2);                                                                                   \
    blst_##point##_cneg(&negative, true);                                                                                           \
    blst_##point##_add_or_double(AT(blst_##point, 0), AT(blst_##point, 1), &negative);                                              \
    return 0;                                                                                                                       \
  }                                                                                                                                 \
  RUN(point##_neg) {                                                                                                                \
    blst_##point negative = *AT(blst_##point, 1);                                                                                   \
    blst_##point##_cneg(&negative, true);                                                                                           \
    *AT(blst_##point, 0) = negative;                                                                                                \
    return 0;                                                                                                                       \
  }                                                                                                                                 \
  /* The point must be in the group. */                                                                                             \
  RUN(point##_mul) {                                                                                                                \
    blst_##point product;                                                                                                           \
    blst_##point##_mult(&product, AT(blst_##point, 1), AT(blst_scalar, 2)->b, SCALAR_BITS);                                         \
    *AT(blst_##point, 0) = product;                                                                                                 \
    return 0;                                                                                                                       \
  }                                                                                                                                 \
  /* The points must be in the group. */                                                                                            \
  RUN(point##_mul_vec) {                                                                                                            \
    const blst_##point *points = AT(blst_##point, 1);                                                                               \
    const blst_scalar *scalars = AT(blst_scalar, 2);                                                                                \
    blst_##point sum = {0};                                                                                                         \
    affine normal[MOST_POINTS];                                                                                                     \
    limb_t scratch[SCRATCH_BYTES / sizeof(limb_t)];                                                                                 \
    const affine *list[MOST_POINTS];                                                                                                \
    const byte *factors[MOST_POINTS];                                                                                               \
    size_t count = 0;                                                                                                               \
    bool is_batch = v[3] > 1 && v[3] <= MOST_POINTS && blst_##point##s_mult_pippenger_scratch_sizeof(v[3]) <= SCRATCH_BYTES;        \
    for (uint32_t i = 0; i < v[3]; i++) {                                                                                           \
      if (blst_##point##_is_inf(&points[i])) continue;                                                                              \
      if (!is_batch) {                                                                                                              \
        blst_##point product;                                                                                                       \
        blst_##point##_mult(&product, &points[i], scalars[i].b, SCALAR_BITS);                                                       \
        blst_##point##_add_or_double(&sum, &sum, &product);                                                                         \
        continue;                                                                                                                   \
      }                                                                                                                             \
      blst_##point##_to_affine(&normal[count], &points[i]);                                                                         \
      list[count] = &normal[count];                                                                                                 \
      factors[count++] = scalars[i].b;                                                                                              \
    }                                                                                                                               \
    if (count > 0) blst_##point##s_mult_pippenger(&sum, list, count, factors, SCALAR_BITS, scratch);                                \
    *AT(blst_##point, 0) = sum;                                                                                                     \
    return 0;                                                                                                                       \
  }

GROUP(p1, blst_p1_affine, blst_p1_in_g1)
GROUP(p2, blst_p2_affine, blst_p2_in_g2)

RUN(fp_set_int) {
  const uint64_t words[6] = {v[1]};
  blst_fp_from_uint64(AT(blst_fp, 0), words);
  return 0;
}

// The number is below the field's order.
RUN(fp_set_bytes) {
  byte padded[48] = {0};
  if (v[2] > sizeof padded) return -1;
  for (uint32_t i = 0; i < v[2]; i++) padded[sizeof padded - v[2] + i] = memory[v[1] + i];
  blst_fp_from_bendian(AT(blst_fp, 0), padded);
  return 0;
}

RUN(fp_serialize) {
  if (v[1] < FP) return 0;
  blst_lendian_from_fp(memory + v[0], AT(blst_fp, 2));
  return FP;
}

RUN(fp_sqr) {
  blst_fp_sqr(AT(blst_fp, 0), AT(blst_fp, 1));
  return 0;
}

RUN(fp_mul) {
  blst_fp_mul(AT(blst_fp, 0), AT(blst_fp, 1), AT(blst_fp, 2));
  return 0;
}

RUN(fp_add) {
  blst_fp_add(AT(blst_fp, 0), AT(blst_fp, 1), AT(blst_fp, 2));
  return 0;
}

RUN(fp_neg) {
  blst_fp_cneg(AT(blst_fp, 0), AT(blst_fp, 1), true);
  return 0;
}

RUN(fp_square_root) { return blst_fp_sqrt(AT(blst_fp, 0), AT(blst_fp, 1)) ? 0 : -1; }

RUN(map_to_g1) {
  blst_map_to_g1(AT(blst_p1, 0), AT(blst_fp, 1), NULL);
  return 0;
}

RUN(map_to_g2) {
  blst_map_to_g2(AT(blst_p2, 0), AT(blst_fp2, 1), NULL);
  return 0;
}

// An element as EIP-2537 encodes it: 16 zeros and 48 bytes.
static int read_element(blst_fp *element, const unsigned char *bytes) {
  static const unsigned char order[48] = {0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
                                          0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
                                          0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab};
  for (int i = 0; i < 16; i++)
    if (bytes[i] != 0) return NO_PADDING;
  for (int i = 0; i < 48; i++) {
    if (bytes[16 + i] < order[i]) break;
    if (bytes[16 + i] > order[i] || i == 47) return NO_ELEMENT;
  }
  blst_fp_from_bendian(element, bytes + 16);
  return 0;
}

static void write_element(unsigned char *bytes, const blst_fp *element) {
  for (int i = 0; i < 16; i++) bytes[i] = 0;
  blst_bendian_from_fp(bytes + 16, element);
}

// Adds two points as EIP-2537 encodes them, whose coordinates have so many elements each. Gives what is wrong with one.
#define ADD_ENCODED(point, affine, elements)                                                                                        \
  RUN(point##_add_encoded) {                                                                                                        \
    blst_##point points[2] = {0};                                                                                                   \
    for (int i = 0; i < 2; i++) {                                                                                                   \
      blst_fp *coordinates = (blst_fp *)&points[i];                                                                                 \
      bool is_infinity = true;                                                                                                      \
      for (int j = 0; j < 2 * elements; j++) {                                                                                      \
        int fault = read_element(&coordinates[j], memory + v[1] + 64 * (2 * elements * i + j));                                     \
        if (fault != 0) return fault;                                                                                               \
        for (int k = 0; k < 6; k++) is_infinity = is_infinity && coordinates[j].l[k] == 0;                                          \
      }                                                                                                                             \
      if (is_infinity) continue;                                                                                                    \
      const uint64_t one[6] = {1};                                                                                                  \
      blst_fp_from_uint64((blst_fp *)&points[i].z, one);                                                                            \
      if (!blst_##point##_on_curve(&points[i])) return NOT_ON_CURVE;                                                                \
    }                                                                                                                               \
    affine sum = {0};                                                                                                               \
    blst_##point##_add_or_double(&points[0], &points[0], &points[1]);                                                               \
    if (!blst_##point##_is_inf(&points[0])) blst_##point##_to_affine(&sum, &points[0]);                                             \
    for (int j = 0; j < 2 * elements; j++) write_element(memory + v[0] + 64 * j, (const blst_fp *)&sum + j);                        \
    return 0;                                                                                                                       \
  }

ADD_ENCODED(p1, blst_p1_affine, 1)
ADD_ENCODED(p2, blst_p2_affine, 2)

RUN(fr_set_bytes) {
  blst_scalar_from_be_bytes(AT(blst_scalar, 0), memory + v[1], v[2]);
  return 0;
}

// The only number that is needed is 1.
RUN(gt_set_int) {
  *AT(blst_fp12, 0) = *blst_fp12_one();
  return 0;
}

RUN(gt_mul) {
  blst_fp12_mul(AT(blst_fp12, 0), AT(blst_fp12, 1), AT(blst_fp12, 2));
  return 0;
}

RUN(gt_is_one) { return blst_fp12_is_one(AT(blst_fp12, 0)); }

RUN(miller_loop) {
  blst_p1_affine a;
  blst_p2_affine b;
  blst_p1_to_affine(&a, AT(blst_p1, 1));
  blst_p2_to_affine(&b, AT(blst_p2, 2));
  blst_miller_loop(AT(blst_fp12, 0), &b, &a);
  return 0;
}

RUN(final_exp) {
  blst_fp12 result;
  blst_final_exp(&result, AT(blst_fp12, 1));
  *AT(blst_fp12, 0) = result;
  return 0;
}

#define GROUP_FUNCTIONS(name, point, size)                                                                                          \
  {"_mclBn" name "_clear", 1, {size}, -1, point##_clear}, {"_mclBn" name "_isZero", 1, {size}, -1, point##_is_zero},                \
      {"_mclBn" name "_isValid", 1, {size}, -1, point##_is_valid},                                                                  \
      {"_mclBn" name "_isValidOrder", 1, {size}, -1, point##_is_valid_order},                                                       \
      {"_mclBn" name "_normalize", 2, {size, size}, -1, point##_normalize},                                                         \
      {"_mclBn" name "_add", 3, {size, size, size}, -1, point##_add}, {"_mclBn" name "_sub", 3, {size, size, size}, -1, point##_sub}, \
      {"_mclBn" name "_neg", 2, {size, size}, -1, point##_neg}, {"_mclBn" name "_mul", 3, {size, size, FR}, -1, point##_mul},       \
      {"_mclBn" name "_mulVec", 4, {size, size, FR, 0}, 3, point##_mul_vec}

const struct curve_function bls12381_functions[] = {
    GROUP_FUNCTIONS("G1", p1, G1),
    GROUP_FUNCTIONS("G2", p2, G2),
    {"_mclBnG1_addEncoded", 2, {128, 256}, -1, p1_add_encoded},
    {"_mclBnG2_addEncoded", 2, {256, 512}, -1, p2_add_encoded},
    {"_mclBnFp_setInt32", 2, {FP, 0}, -1, fp_set_int},
    {"_mclBnFp_setBigEndianMod", 3, {FP, 1, 0}, 2, fp_set_bytes},
    {"_mclBnFp_serialize", 3, {1, 0, FP}, 1, fp_serialize},
    {"_mclBnFp_sqr", 2, {FP, FP}, -1, fp_sqr},
    {"_mclBnFp_mul", 3, {FP, FP, FP}, -1, fp_mul},
    {"_mclBnFp_add", 3, {FP, FP, FP}, -1, fp_add},
    {"_mclBnFp_neg", 2, {FP, FP}, -1, fp_neg},
    {"_mclBnFp_squareRoot", 2, {FP, FP}, -1, fp_square_root},
    {"_mclBnFp_mapToG1", 2, {G1, FP}, -1, map_to_g1},
    {"_mclBnFp2_mapToG2", 2, {G2, 2 * FP}, -1, map_to_g2},
    {"_mclBnFr_setBigEndianMod", 3, {FR, 1, 0}, 2, fr_set_bytes},
    {"_mclBnGT_setInt32", 2, {GT, 0}, -1, gt_set_int},
    {"_mclBnGT_mul", 3, {GT, GT, GT}, -1, gt_mul},
    {"_mclBnGT_isOne", 1, {GT}, -1, gt_is_one},
    {"_mclBn_millerLoop", 3, {GT, G1, G2}, -1, miller_loop},
    {"_mclBn_finalExp", 2, {GT, GT}, -1, final_exp},
};

const size_t bls12381_function_count = sizeof bls12381_functions / sizeof *bls12381_functions;

bool curve_arguments_fit(const struct curve_function *function, const uint32_t *arguments, size_t length) {
  uint64_t count = function->count < 0 || arguments[function->count] == 0 ? 1 : arguments[function->count];
  for (int i = 0; i < function->arguments; i++) {
    uint64_t size = function->sizes[i];
    // Single values beside several are given as much room as these.
    if (size > 0 && ((size > 1 && arguments[i] % 8 != 0) || arguments[i] + size * count > length)) return false;
  }
  return true;
}
