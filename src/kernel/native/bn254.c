// bn254 (alt_bn128), Ethereum's first curve with a pairing; see curve.h. Values are as mcl stores them: a field element has 48 bytes, of
// which the last 16 are unused, a scalar 32, a point three coordinates (Jacobian), an element of the target group 12 field elements. Products
// of field elements are blst's, inverses libsecp256k1's; both take any modulus. The formulas are those of the Explicit-Formulas Database
// (Jacobian coordinates, a = 0) and of Beuchat and others, "High-Speed Software Implementation of the Optimal Ate Pairing over
// Barreto-Naehrig Curves" (2010). Nothing here is secret, so that time may depend on the values.
#include "curve.h"

#include <int128_impl.h>
#include <modinv64_impl.h>

typedef struct {
  uint64_t l[4];
} fp;
typedef struct {
  fp a, b; // a + b i, where i^2 = -1
} fp2;
typedef struct {
  fp2 a, b, c; // a + b v + c v^2, where v^3 = 9 + i
} fp6;
typedef struct {
  fp6 a, b; // a + b w, where w^2 = v
} fp12;
typedef struct {
  fp x, y, z;
} g1;
typedef struct {
  fp2 x, y, z;
} g2;

// The order of the field, -1 / order modulo 2^64, and 1 and 2^256 times 2^256 modulo the order: elements are stored times 2^256.
static const fp order = {{0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029}};
static const uint64_t order_inverse = 0x87d20782e4866389;
static const fp one = {{0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f}};
static const fp radix = {{0xf32cfc5b538afa89, 0xb5e71911d44501fb, 0x47ab1eff0a417ff6, 0x06d89f71cab8351f}};
// (9 + i)^(k (order - 1) / 6) for k from 1 to 5.
static const fp2 frobenius[] = {
    {{0xaf9ba69633144907, 0xca6b1d7387afb78a, 0x11bded5ef08a2087, 0x02f34d751a1f3a7c},
     {0xa222ae234c492d72, 0xd00f02a4565de15b, 0xdc2ff3a253dfc926, 0x10a75716b3899551}},
    {{0xb5773b104563ab30, 0x347f91c8a9aa6454, 0x7a007127242e0991, 0x1956bcd8118214ec},
     {0x6e849f1ea0aa4757, 0xaa1c7b6d89f89141, 0xb6e713cdfae0ca3a, 0x26694fbb4e82ebc3}},
    {{0xe4bbdd0c2936b629, 0xbb30f162e133bacb, 0x31a9d1b6f9645366, 0x253570bea500f8dd},
     {0xa1d77ce45ffe77c7, 0x07affd117826d1db, 0x6d16bd27bb7edc6b, 0x2c87200285defecc}},
    {{0x7361d77f843abe92, 0xa5bb2bd3273411fb, 0x9c941f314b3e2399, 0x15df9cddbb9fd3ec},
     {0x5dddfd154bd8c949, 0x62cb29a5a4445b60, 0x37bc870a0c7dd2b9, 0x24830a9d3171f0fd}},
    {{0xc970692f41690fe7, 0xe240342127694b0b, 0x32bee66b83c459e8, 0x12aabced0ab08841},
     {0x0d485d2340aebfa9, 0x05193418ab2fcc57, 0xd3b0a40b8a4910f5, 0x2f21ebb535d2925a}}};
// (9 + i)^(k (order^2 - 1) / 6) for k from 1 to 5.
static const fp frobenius2[] = {
    {0xca8d800500fa1bf2, 0xf0c5d61468b39769, 0x0e201271ad0d4418, 0x04290f65bad856e6},
    {0x3350c88e13e80b9c, 0x7dce557cdb5e56b9, 0x6001b4b8b615564a, 0x2682e617020217e0},
    {0x68c3488912edefaa, 0x8d087f6872aabf4f, 0x51e1a24709081231, 0x2259d6b14729c0fa},
    {0x71930c11d782e155, 0xa6bb947cffbe3323, 0xaa303344d4741444, 0x2c3b3f0d26594943},
    {0x08cfc388c494f1ab, 0x19b315148d1373d4, 0x584e90fdcb6c0213, 0x09e1685bdf2f8849}};
// The order of the groups.
static const uint64_t group_order[] = {0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029};
// The parameter u of the curve, and 6 u^2.
static const uint64_t parameter = 0x44e992b44a6909f1;
static const uint64_t six_squares[] = {0xf83e9682e87cfd46, 0x6f4d8248eeb859fb};
// The digits of 6 u + 2 in the non-adjacent form, from the second one on.
static const int8_t loop[] = {
    0, -1, 0, 1, 0, 0, 0, -1, 0, -1, 0, 0, 0, -1, 0, 1, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 0, 0, -1, 0, 0, 0,
    0, -1, 0, 1, 0, 0, 0, -1, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, -1, 0, 1, 0, 1, 0, 0, 0};

// Of blst, for any modulus whose highest word is not all ones.
void mul_mont_sparse_256(fp *result, const fp *a, const fp *b, const fp *modulus, uint64_t inverse);
void sqr_mont_sparse_256(fp *result, const fp *a, const fp *modulus, uint64_t inverse);

// The field

static inline fp mul(fp a, fp b) {
  fp r;
  mul_mont_sparse_256(&r, &a, &b, &order, order_inverse);
  return r;
}

static inline fp sqr(fp a) {
  fp r;
  sqr_mont_sparse_256(&r, &a, &order, order_inverse);
  return r;
}

static inline fp add(fp a, fp b) {
  unsigned long long carry = 0, borrow = 0;
  fp sum, less;
  // The order has 254 bits: the sum fits in 256.
  for (int i = 0; i < 4; i++) sum.l[i] = __builtin_addcll(a.l[i], b.l[i], carry, &carry);
  for (int i = 0; i < 4; i++) less.l[i] = __builtin_subcll(sum.l[i], order.l[i], borrow, &borrow);
  for (int i = 0; i < 4; i++) sum.l[i] = borrow ? sum.l[i] : less.l[i];
  return sum;
}

static inline fp sub(fp a, fp b) {
  unsigned long long borrow = 0, carry = 0;
  fp difference;
  for (int i = 0; i < 4; i++) difference.l[i] = __builtin_subcll(a.l[i], b.l[i], borrow, &borrow);
  const uint64_t mask = -(uint64_t)borrow;
  for (int i = 0; i < 4; i++) difference.l[i] = __builtin_addcll(difference.l[i], order.l[i] & mask, carry, &carry);
  return difference;
}

static inline fp dbl(fp a) { return add(a, a); }
static inline fp neg(fp a) { return sub((fp){{0}}, a); }
static inline bool is_zero(fp a) { return (a.l[0] | a.l[1] | a.l[2] | a.l[3]) == 0; }
static inline bool is_equal(fp a, fp b) { return is_zero(sub(a, b)); }

static fp inv(fp a) {
  static const secp256k1_modinv64_modinfo info = {
      {{0x3c208c16d87cfd47, 0x1e05aa45a1c72a34, 0x5045b68181585d9, 0x19139cb84c680a6e, 0x30}}, 0x382df87d1b799c77};
  const uint64_t mask = UINT64_MAX >> 2, *l = a.l;
  secp256k1_modinv64_signed62 x = {{(int64_t)(l[0] & mask), (int64_t)((l[0] >> 62 | l[1] << 2) & mask),
                                    (int64_t)((l[1] >> 60 | l[2] << 4) & mask), (int64_t)((l[2] >> 58 | l[3] << 6) & mask),
                                    (int64_t)(l[3] >> 56)}};
  secp256k1_modinv64_var(&x, &info);
  const uint64_t v[] = {(uint64_t)x.v[0], (uint64_t)x.v[1], (uint64_t)x.v[2], (uint64_t)x.v[3], (uint64_t)x.v[4]};
  fp inverse = {{v[0] | v[1] << 62, v[1] >> 2 | v[2] << 60, v[2] >> 4 | v[3] << 58, v[3] >> 6 | v[4] << 56}};
  // That of a times 2^256, which is 2^512 times smaller than that of a is stored.
  return mul(mul(inverse, radix), radix);
}

// The quadratic extension

static inline fp2 add2(fp2 x, fp2 y) { return (fp2){add(x.a, y.a), add(x.b, y.b)}; }
static inline fp2 sub2(fp2 x, fp2 y) { return (fp2){sub(x.a, y.a), sub(x.b, y.b)}; }
static inline fp2 dbl2(fp2 x) { return add2(x, x); }
static inline fp2 neg2(fp2 x) { return (fp2){neg(x.a), neg(x.b)}; }
static inline fp2 conj2(fp2 x) { return (fp2){x.a, neg(x.b)}; }
static inline fp2 scale2(fp2 x, fp s) { return (fp2){mul(x.a, s), mul(x.b, s)}; }
static inline bool is_zero2(fp2 x) { return is_zero(x.a) && is_zero(x.b); }
static inline bool is_equal2(fp2 x, fp2 y) { return is_equal(x.a, y.a) && is_equal(x.b, y.b); }

static fp2 mul2(fp2 x, fp2 y) {
  fp a = mul(x.a, y.a), b = mul(x.b, y.b), sum = mul(add(x.a, x.b), add(y.a, y.b));
  return (fp2){sub(a, b), sub(sub(sum, a), b)};
}

static fp2 sqr2(fp2 x) { return (fp2){mul(add(x.a, x.b), sub(x.a, x.b)), dbl(mul(x.a, x.b))}; }

static fp2 inv2(fp2 x) {
  fp norm = inv(add(sqr(x.a), sqr(x.b)));
  return (fp2){mul(x.a, norm), neg(mul(x.b, norm))};
}

// Times 9 + i.
static fp2 times_root(fp2 x) {
  fp2 nine = add2(dbl2(dbl2(dbl2(x))), x);
  return (fp2){sub(nine.a, x.b), add(nine.b, x.a)};
}

// The extension of degree six

static fp6 add6(fp6 x, fp6 y) { return (fp6){add2(x.a, y.a), add2(x.b, y.b), add2(x.c, y.c)}; }
static fp6 sub6(fp6 x, fp6 y) { return (fp6){sub2(x.a, y.a), sub2(x.b, y.b), sub2(x.c, y.c)}; }
static fp6 neg6(fp6 x) { return (fp6){neg2(x.a), neg2(x.b), neg2(x.c)}; }
static fp6 scale6(fp6 x, fp2 s) { return (fp6){mul2(x.a, s), mul2(x.b, s), mul2(x.c, s)}; }
static fp6 times_v(fp6 x) { return (fp6){times_root(x.c), x.a, x.b}; }

static fp6 mul6(fp6 x, fp6 y) {
  fp2 a = mul2(x.a, y.a), b = mul2(x.b, y.b), c = mul2(x.c, y.c);
  fp2 bc = sub2(sub2(mul2(add2(x.b, x.c), add2(y.b, y.c)), b), c);
  fp2 ab = sub2(sub2(mul2(add2(x.a, x.b), add2(y.a, y.b)), a), b);
  fp2 ac = sub2(sub2(mul2(add2(x.a, x.c), add2(y.a, y.c)), a), c);
  return (fp6){add2(a, times_root(bc)), add2(ab, times_root(c)), add2(ac, b)};
}

// Times a + b v.
static fp6 mul6_by_two(fp6 x, fp2 a, fp2 b) {
  fp2 xa = mul2(x.a, a), xb = mul2(x.b, b);
  fp2 middle = sub2(sub2(mul2(add2(x.a, x.b), add2(a, b)), xa), xb);
  return (fp6){add2(xa, times_root(mul2(x.c, b))), middle, add2(xb, mul2(x.c, a))};
}

static fp6 inv6(fp6 x) {
  fp2 a = sub2(sqr2(x.a), times_root(mul2(x.b, x.c)));
  fp2 b = sub2(times_root(sqr2(x.c)), mul2(x.a, x.b));
  fp2 c = sub2(sqr2(x.b), mul2(x.a, x.c));
  fp2 norm = add2(mul2(x.a, a), times_root(add2(mul2(x.c, b), mul2(x.b, c))));
  return scale6((fp6){a, b, c}, inv2(norm));
}

// The extension of degree twelve

static fp12 mul12(fp12 x, fp12 y) {
  fp6 a = mul6(x.a, y.a), b = mul6(x.b, y.b), sum = mul6(add6(x.a, x.b), add6(y.a, y.b));
  return (fp12){add6(a, times_v(b)), sub6(sub6(sum, a), b)};
}

static fp12 sqr12(fp12 x) {
  fp6 b = mul6(x.a, x.b), a = mul6(add6(x.a, x.b), add6(x.a, times_v(x.b)));
  return (fp12){sub6(sub6(a, b), times_v(b)), add6(b, b)};
}

static fp12 conj12(fp12 x) { return (fp12){x.a, neg6(x.b)}; }

static fp12 inv12(fp12 x) {
  fp6 norm = inv6(sub6(mul6(x.a, x.a), times_v(mul6(x.b, x.b))));
  return (fp12){mul6(x.a, norm), neg6(mul6(x.b, norm))};
}

// To the power of the field's order.
static fp12 frobenius_power(fp12 x) {
  return (fp12){{conj2(x.a.a), mul2(conj2(x.a.b), frobenius[1]), mul2(conj2(x.a.c), frobenius[3])},
                {mul2(conj2(x.b.a), frobenius[0]), mul2(conj2(x.b.b), frobenius[2]), mul2(conj2(x.b.c), frobenius[4])}};
}

// To the power of its square.
static fp12 frobenius_square_power(fp12 x) {
  return (fp12){{x.a.a, scale2(x.a.b, frobenius2[1]), scale2(x.a.c, frobenius2[3])},
                {scale2(x.b.a, frobenius2[0]), scale2(x.b.b, frobenius2[2]), scale2(x.b.c, frobenius2[4])}};
}

// The square of a + b s, where s^2 = 9 + i.
static void sqr4(fp2 a, fp2 b, fp2 *first, fp2 *second) {
  fp2 a2 = sqr2(a), b2 = sqr2(b);
  *first = add2(a2, times_root(b2));
  *second = sub2(sub2(sqr2(add2(a, b)), a2), b2);
}

// The square of an element whose inverse is its conjugate: Granger and Scott, "Faster Squaring in the Cyclotomic Subgroup of Sixth Degree
// Extensions" (2010).
static fp12 sqr_unitary(fp12 x) {
  fp2 a0, a1, b0, b1, c0, c1;
  sqr4(x.a.a, x.b.b, &a0, &a1);
  sqr4(x.b.a, x.a.c, &b0, &b1);
  sqr4(x.a.b, x.b.c, &c0, &c1);
  c1 = times_root(c1);
#define LESS(t, z) add2(dbl2(sub2(t, z)), t)
#define MORE(t, z) add2(dbl2(add2(t, z)), t)
  return (fp12){{LESS(a0, x.a.a), LESS(b0, x.a.b), LESS(c0, x.a.c)}, {MORE(c1, x.b.a), MORE(a1, x.b.b), MORE(b1, x.b.c)}};
}

// Of a unitary element.
static fp12 parameter_power(fp12 x) {
  fp12 r = x;
  for (int bit = 61; bit >= 0; bit--) {
    r = sqr_unitary(r);
    if (parameter >> bit & 1) r = mul12(r, x);
  }
  return r;
}

static bool is_one12(fp12 x) {
  fp6 rest = x.a;
  rest.a.a = sub(rest.a.a, one);
  fp2 all[] = {rest.a, rest.b, rest.c, x.b.a, x.b.b, x.b.c};
  for (int i = 0; i < 6; i++)
    if (!is_zero2(all[i])) return false;
  return true;
}

// The groups

// 1, and the constants of the two curves: 3 and 3 / (9 + i).
static const fp g1_one = {{0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f}},
                g1_constant = {{0x7a17caa950ad28d7, 0x1f6ac17ae15521b9, 0x334bea4e696bd284, 0x2a1f6744ce179d8e}};
static const fp2 g2_one = {{{0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f}}, {{0}}},
                 g2_constant = {{0x3bf938e377b802a8, 0x020b1b273633535d, 0x26b7edf049755260, 0x2514c6324384a86d},
                  {0x38e7ecccd1dcff67, 0x65f0b37d93ce0d3e, 0xd749d0dd22ac00aa, 0x0141b9ce4a688d4d}};

#define GROUP(group, field, add, sub, dbl, mul, sqr, inv, is_zero, is_equal)                        \
  static group group##_double(group p) {                                                           \
    field a = sqr(p.x), b = sqr(p.y), c = sqr(b);                                                  \
    field d = dbl(sub(sub(sqr(add(p.x, b)), a), c)), e = add(dbl(a), a);                           \
    field x = sub(sqr(e), dbl(d));                                                                 \
    return (group){x, sub(mul(e, sub(d, x)), dbl(dbl(dbl(c)))), dbl(mul(p.y, p.z))};               \
  }                                                                                                \
  static group group##_add(group p, group q) {                                                     \
    if (is_zero(p.z)) return q;                                                                    \
    if (is_zero(q.z)) return p;                                                                    \
    field pz = sqr(p.z), qz = sqr(q.z), u = mul(p.x, qz), s = mul(p.y, mul(q.z, qz));              \
    field h = sub(mul(q.x, pz), u), t = sub(mul(q.y, mul(p.z, pz)), s);                            \
    if (is_zero(h)) return is_zero(t) ? group##_double(p) : (group){0};                            \
    field h2 = sqr(h), h3 = mul(h, h2), v = mul(u, h2);                                            \
    field x = sub(sub(sqr(t), h3), dbl(v));                                                        \
    return (group){x, sub(mul(t, sub(v, x)), mul(s, h3)), mul(mul(p.z, q.z), h)};                  \
  }                                                                                                \
  static group group##_normal(group p) {                                                           \
    if (is_zero(p.z)) return p;                                                                    \
    field z = inv(p.z), z2 = sqr(z);                                                               \
    return (group){mul(p.x, z2), mul(p.y, mul(z2, z)), group##_one};                               \
  }                                                                                                \
  static group group##_mul(group p, const uint64_t *scalar, int words) {                           \
    group table[16] = {{0}, p}, r = {0};                                                           \
    for (int i = 2; i < 16; i++) table[i] = group##_add(table[i - 1], p);                          \
    for (int i = 64 * words - 4; i >= 0; i -= 4) {                                                 \
      for (int k = 0; k < 4 && !is_zero(r.z); k++) r = group##_double(r);                          \
      r = group##_add(r, table[scalar[i / 64] >> i % 64 & 15]);                                    \
    }                                                                                              \
    return r;                                                                                      \
  }                                                                                                \
  static bool group##_is_on_curve(group p) {                                                       \
    field z2 = sqr(p.z), z6 = mul(sqr(z2), z2);                                                    \
    return is_equal(sqr(p.y), add(mul(sqr(p.x), p.x), mul(group##_constant, z6)));                 \
  }

GROUP(g1, fp, add, sub, dbl, mul, sqr, inv, is_zero, is_equal)
GROUP(g2, fp2, add2, sub2, dbl2, mul2, sqr2, inv2, is_zero2, is_equal2)

// The Frobenius endomorphism on the second curve.
static g2 endomorphism(g2 p) {
  return (g2){mul2(conj2(p.x), frobenius[1]), mul2(conj2(p.y), frobenius[2]), conj2(p.z)};
}

// The endomorphism is a root of x^2 - (6 u^2 + 1) x + field order. Where it multiplies by 6 u^2, the group's order times the point is zero.
static bool is_in_group(g2 p) {
  if (is_zero2(p.z)) return true;
  g2 a = endomorphism(p), b = g2_mul(p, six_squares, 2);
  fp2 az = sqr2(a.z), bz = sqr2(b.z);
  return !is_zero2(b.z) && is_equal2(mul2(a.x, bz), mul2(b.x, az)) &&
         is_equal2(mul2(a.y, mul2(b.z, bz)), mul2(b.y, mul2(a.z, az)));
}

// The pairing

// f times the value y - slope x w + rest v w of a line, multiplied by its denominator, which the final exponentiation makes 1.
static fp12 mul_line(fp12 f, const g1 *p, fp2 denominator, fp2 slope, fp2 rest) {
  fp2 y = scale2(denominator, p->y), x = neg2(scale2(slope, p->x));
  fp6 a = scale6(f.a, y), b = mul6_by_two(f.b, x, rest);
  fp6 sum = mul6_by_two(add6(f.a, f.b), add2(x, y), rest);
  return (fp12){add6(a, times_v(b)), sub6(sub6(sum, a), b)};
}

// Doubles t, and multiplies f by the tangent at t.
static fp12 double_step(fp12 f, g2 *t, const g1 *p) {
  fp2 a = sqr2(t->x), b = sqr2(t->y), e = add2(dbl2(a), a), z2 = sqr2(t->z);
  fp2 rest = sub2(mul2(e, t->x), dbl2(b));
  *t = g2_double(*t);
  return mul_line(f, p, mul2(t->z, z2), mul2(e, z2), rest);
}

// Adds q, whose z is 1, to t, and multiplies f by the line through both.
static fp12 add_step(fp12 f, g2 *t, const g2 *q, const g1 *p) {
  fp2 z2 = sqr2(t->z), h = sub2(mul2(q->x, z2), t->x), slope = sub2(mul2(q->y, mul2(t->z, z2)), t->y);
  fp2 h2 = sqr2(h), h3 = mul2(h, h2), v = mul2(t->x, h2);
  fp2 x = sub2(sub2(sqr2(slope), h3), dbl2(v)), z = mul2(t->z, h);
  *t = (g2){x, sub2(mul2(slope, sub2(v, x)), mul2(t->y, h3)), z};
  return mul_line(f, p, z, slope, sub2(mul2(slope, q->x), mul2(q->y, z)));
}

// Both points have z = 1 and are in their groups.
static fp12 miller_loop_of(const g1 *p, const g2 *q) {
  g2 t = *q, negative = {q->x, neg2(q->y), q->z};
  fp12 f = {{{one}}};
  for (size_t i = 0; i < sizeof loop; i++) {
    if (i > 0) f = sqr12(f);
    f = double_step(f, &t, p);
    if (loop[i] != 0) f = add_step(f, &t, loop[i] > 0 ? q : &negative, p);
  }
  g2 first = endomorphism(*q);
  // The negative of what the endomorphism gives when it is applied twice: there y is multiplied by -1.
  g2 second = {scale2(q->x, frobenius2[1]), q->y, q->z};
  f = add_step(f, &t, &first, p);
  return add_step(f, &t, &second, p);
}

static fp12 final_exponentiation(fp12 f) {
  f = mul12(conj12(f), inv12(f));
  f = mul12(frobenius_square_power(f), f);
  fp12 p1 = frobenius_power(f), p2 = frobenius_square_power(f), p3 = frobenius_power(p2);
  fp12 u1 = parameter_power(f), u2 = parameter_power(u1), u3 = parameter_power(u2);
  fp12 y0 = mul12(mul12(p1, p2), p3), y1 = conj12(f), y2 = frobenius_square_power(u2);
  fp12 y3 = conj12(frobenius_power(u1)), y4 = conj12(mul12(u1, frobenius_power(u2)));
  fp12 y5 = conj12(u2), y6 = conj12(mul12(u3, frobenius_power(u3)));
  fp12 a = mul12(mul12(sqr_unitary(y6), y4), y5);
  fp12 b = mul12(mul12(y3, y5), a);
  a = mul12(a, y2);
  b = sqr_unitary(mul12(sqr_unitary(b), a));
  a = mul12(b, y1);
  b = mul12(b, y0);
  return mul12(sqr_unitary(a), b);
}

// What a memory has

#define STRIDE 48
#define SCALAR 32
#define G1 (3 * STRIDE)
#define G2 (6 * STRIDE)
#define GT (12 * STRIDE)

#define RUN(name) static int name(unsigned char *memory, const uint32_t *v)

static void read_elements(const unsigned char *from, fp *elements, int count) {
  for (int i = 0; i < count; i++) __builtin_memcpy(&elements[i], from + STRIDE * i, sizeof(fp));
}

static void write_elements(unsigned char *to, const fp *elements, int count) {
  for (int i = 0; i < count; i++) __builtin_memcpy(to + STRIDE * i, &elements[i], sizeof(fp));
}

#define READ(type, name, i)                                                                        \
  type name;                                                                                       \
  read_elements(memory + v[i], (fp *)&name, sizeof(type) / sizeof(fp))
#define WRITE(type, i, ...)                                                                        \
  do {                                                                                             \
    type written = __VA_ARGS__;                                                                    \
    write_elements(memory + v[i], (const fp *)&written, sizeof(type) / sizeof(fp));                \
    return 0;                                                                                      \
  } while (0)

#define GROUP_RUNS(group, is_zero)                                                                 \
  RUN(group##_clear) { WRITE(group, 0, (group){0}); }                                              \
  RUN(group##_is_zero) {                                                                           \
    READ(group, p, 0);                                                                             \
    return is_zero(p.z);                                                                           \
  }                                                                                                \
  RUN(group##_is_valid) {                                                                          \
    READ(group, p, 0);                                                                             \
    return group##_is_on_curve(p);                                                                 \
  }                                                                                                \
  RUN(group##_normalize) {                                                                         \
    READ(group, p, 1);                                                                             \
    WRITE(group, 0, group##_normal(p));                                                            \
  }                                                                                                \
  RUN(group##_sum) {                                                                               \
    READ(group, p, 1);                                                                             \
    READ(group, q, 2);                                                                             \
    WRITE(group, 0, group##_add(p, q));                                                            \
  }                                                                                                \
  RUN(group##_product) {                                                                           \
    READ(group, p, 1);                                                                             \
    uint64_t scalar[4];                                                                            \
    __builtin_memcpy(scalar, memory + v[2], sizeof scalar);                                        \
    WRITE(group, 0, group##_mul(p, scalar, 4));                                                    \
  }

GROUP_RUNS(g1, is_zero)
GROUP_RUNS(g2, is_zero2)

RUN(g2_is_valid_order) {
  READ(g2, p, 0);
  return is_in_group(p);
}

RUN(fp_set_int) { WRITE(fp, 0, mul((fp){{v[1]}}, radix)); }

// Big-endian words of a number of at most 32 bytes. False for a longer one.
static bool read_number(const unsigned char *bytes, uint32_t size, uint64_t *words) {
  if (size > 32) return false;
  for (int i = 0; i < 4; i++) words[i] = 0;
  for (uint32_t i = 0; i < size; i++) words[i / 8] |= (uint64_t)bytes[size - 1 - i] << 8 * (i % 8);
  return true;
}

// The number is below the field's order.
RUN(fp_set_bytes) {
  fp number;
  if (!read_number(memory + v[1], v[2], number.l)) return -1;
  WRITE(fp, 0, mul(number, radix));
}

RUN(fp_serialize) {
  READ(fp, element, 2);
  if (v[1] < sizeof(fp)) return 0;
  fp plain = mul(element, (fp){{1}});
  __builtin_memcpy(memory + v[0], &plain, sizeof plain);
  return sizeof plain;
}

static bool is_below_order(fp a) {
  for (int i = 3; i >= 0; i--)
    if (a.l[i] != order.l[i]) return a.l[i] < order.l[i];
  return false;
}

// Adds two points as EIP-196 encodes them. Gives what is wrong with one.
RUN(g1_add_encoded) {
  g1 points[2];
  for (int i = 0; i < 2; i++) {
    const unsigned char *bytes = memory + v[1] + 64 * i;
    fp x, y;
    read_number(bytes, 32, x.l);
    read_number(bytes + 32, 32, y.l);
    if (!is_below_order(x) || !is_below_order(y)) return NO_ELEMENT;
    bool is_infinity = is_zero(x) && is_zero(y);
    points[i] = (g1){mul(x, radix), mul(y, radix), is_infinity ? (fp){{0}} : one};
    if (!is_infinity && !g1_is_on_curve(points[i])) return NOT_ON_CURVE;
  }
  g1 sum = g1_normal(g1_add(points[0], points[1]));
  const fp coordinates[] = {sum.x, sum.y};
  for (int i = 0; i < 2; i++) {
    fp plain = is_zero(sum.z) ? (fp){{0}} : mul(coordinates[i], (fp){{1}});
    for (int j = 0; j < 32; j++) memory[v[0] + 32 * i + j] = (unsigned char)(plain.l[3 - j / 8] >> (56 - 8 * (j % 8)));
  }
  return 0;
}

RUN(scalar_set_bytes) {
  uint64_t n[4];
  if (!read_number(memory + v[1], v[2], n)) return -1;
  // 2^256 is less than six times the order.
  for (int turn = 0; turn < 5; turn++) {
    uint64_t difference[4], borrow = 0;
    for (int i = 0; i < 4; i++) {
      unsigned __int128 d = (unsigned __int128)n[i] - group_order[i] - borrow;
      difference[i] = (uint64_t)d;
      borrow = (uint64_t)(d >> 64) & 1;
    }
    for (int i = 0; borrow == 0 && i < 4; i++) n[i] = difference[i];
  }
  __builtin_memcpy(memory + v[0], n, sizeof n);
  return 0;
}

// The only number that is needed is 1.
RUN(gt_set_int) { WRITE(fp12, 0, (fp12){{{one}}}); }

RUN(gt_mul) {
  READ(fp12, a, 1);
  READ(fp12, b, 2);
  WRITE(fp12, 0, mul12(a, b));
}

RUN(gt_is_one) {
  READ(fp12, a, 0);
  return is_one12(a);
}

RUN(miller_loop) {
  READ(g1, p, 1);
  READ(g2, q, 2);
  p = g1_normal(p);
  q = g2_normal(q);
  WRITE(fp12, 0, miller_loop_of(&p, &q));
}

RUN(final_exp) {
  READ(fp12, a, 1);
  WRITE(fp12, 0, final_exponentiation(a));
}

#define GROUP_FUNCTIONS(name, group, size)                                                                       \
  {"_mclBn" name "_clear", 1, {size}, -1, group##_clear}, {"_mclBn" name "_isZero", 1, {size}, -1, group##_is_zero}, \
      {"_mclBn" name "_isValid", 1, {size}, -1, group##_is_valid},                                               \
      {"_mclBn" name "_normalize", 2, {size, size}, -1, group##_normalize},                                      \
      {"_mclBn" name "_add", 3, {size, size, size}, -1, group##_sum},                                            \
      {"_mclBn" name "_mul", 3, {size, size, SCALAR}, -1, group##_product}

const struct curve_function bn254_functions[] = {
    GROUP_FUNCTIONS("G1", g1, G1),
    GROUP_FUNCTIONS("G2", g2, G2),
    {"_mclBnG1_addEncoded", 2, {64, 128}, -1, g1_add_encoded},
    {"_mclBnG2_isValidOrder", 1, {G2}, -1, g2_is_valid_order},
    {"_mclBnFp_setInt32", 2, {STRIDE, 0}, -1, fp_set_int},
    {"_mclBnFp_setBigEndianMod", 3, {STRIDE, 1, 0}, 2, fp_set_bytes},
    {"_mclBnFp_serialize", 3, {1, 0, STRIDE}, 1, fp_serialize},
    {"_mclBnFr_setBigEndianMod", 3, {SCALAR, 1, 0}, 2, scalar_set_bytes},
    {"_mclBnGT_setInt32", 2, {GT, 0}, -1, gt_set_int},
    {"_mclBnGT_mul", 3, {GT, GT, GT}, -1, gt_mul},
    {"_mclBnGT_isOne", 1, {GT}, -1, gt_is_one},
    {"_mclBn_millerLoop", 3, {GT, G1, G2}, -1, miller_loop},
    {"_mclBn_finalExp", 2, {GT, GT}, -1, final_exp},
};

const size_t bn254_function_count = sizeof bn254_functions / sizeof *bn254_functions;
