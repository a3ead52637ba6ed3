// Powers, SHA-256 and P-256 by the OpenSSL that is part of Node, which exports its functions to addons. They are declared here, and weakly: in a
// process without one of them the addon is loaded all the same.
#include "openssl.h"

#define OPENSSL extern __attribute__((weak))

typedef struct bignum BIGNUM;
typedef struct context BN_CTX;
typedef struct group EC_GROUP;
typedef struct point EC_POINT;
typedef struct key EC_KEY;
typedef struct signature ECDSA_SIG;

OPENSSL int ERR_set_mark(void);
OPENSSL int ERR_pop_to_mark(void);
OPENSSL BN_CTX *BN_CTX_new(void);
OPENSSL void BN_CTX_free(BN_CTX *context);
OPENSSL BIGNUM *BN_new(void);
OPENSSL void BN_free(BIGNUM *number);
OPENSSL BIGNUM *BN_bin2bn(const unsigned char *bytes, int size, BIGNUM *number);
OPENSSL int BN_bn2binpad(const BIGNUM *number, unsigned char *bytes, int size);
OPENSSL int BN_mod_exp(BIGNUM *result, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *modulus, BN_CTX *context);
OPENSSL EC_GROUP *EC_GROUP_new_by_curve_name(int curve);
OPENSSL EC_POINT *EC_POINT_new(const EC_GROUP *group);
OPENSSL void EC_POINT_free(EC_POINT *point);
OPENSSL int EC_POINT_set_affine_coordinates(const EC_GROUP *group, EC_POINT *point, const BIGNUM *x, const BIGNUM *y, BN_CTX *context);
OPENSSL EC_KEY *EC_KEY_new(void);
OPENSSL void EC_KEY_free(EC_KEY *key);
OPENSSL int EC_KEY_set_group(EC_KEY *key, const EC_GROUP *group);
OPENSSL int EC_KEY_set_public_key(EC_KEY *key, const EC_POINT *point);
OPENSSL ECDSA_SIG *ECDSA_SIG_new(void);
OPENSSL void ECDSA_SIG_free(ECDSA_SIG *signature);
OPENSSL int ECDSA_SIG_set0(ECDSA_SIG *signature, BIGNUM *r, BIGNUM *s);
OPENSSL int ECDSA_do_verify(const unsigned char *digest, int size, const ECDSA_SIG *signature, EC_KEY *key);
OPENSSL int SHA256_Init(void *state);
OPENSSL int SHA256_Update(void *state, const void *bytes, size_t size);
OPENSSL int SHA256_Final(unsigned char *digest, void *state);

// NID_X9_62_prime256v1
#define P256 415

bool has_openssl(void) {
  return ERR_set_mark && ERR_pop_to_mark && BN_CTX_new && BN_CTX_free && BN_new && BN_free && BN_bin2bn && BN_bn2binpad && BN_mod_exp &&
         EC_GROUP_new_by_curve_name && EC_POINT_new && EC_POINT_free && EC_POINT_set_affine_coordinates && EC_KEY_new && EC_KEY_free &&
         EC_KEY_set_group && EC_KEY_set_public_key && ECDSA_SIG_new && ECDSA_SIG_free && ECDSA_SIG_set0 && ECDSA_do_verify && SHA256_Init &&
         SHA256_Update && SHA256_Final;
}

bool mod_exp(const unsigned char *base, size_t base_size, const unsigned char *exponent, size_t exponent_size,
             const unsigned char *modulus, size_t size, unsigned char *result) {
  BN_CTX *context = BN_CTX_new();
  BIGNUM *power = BN_new(), *b = BN_bin2bn(base, (int)base_size, NULL), *e = BN_bin2bn(exponent, (int)exponent_size, NULL),
         *m = BN_bin2bn(modulus, (int)size, NULL);
  bool is_done = context && power && b && e && m && BN_mod_exp(power, b, e, m, context) && BN_bn2binpad(power, result, (int)size) >= 0;
  BN_free(power);
  BN_free(b);
  BN_free(e);
  BN_free(m);
  BN_CTX_free(context);
  return is_done;
}

// Made once for all threads and never freed.
static EC_GROUP *p256_group(void) {
  static EC_GROUP *shared;
  EC_GROUP *group = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
  if (group == NULL) {
    // Two threads may each make one: then the later one stays, and the other is in use where it was made.
    group = EC_GROUP_new_by_curve_name(P256);
    __atomic_store_n(&shared, group, __ATOMIC_RELEASE);
  }
  return group;
}

static BIGNUM *word(const unsigned char *words, int i) { return BN_bin2bn(words + P256_WORD_BYTES * i, P256_WORD_BYTES, NULL); }

int verify_p256(const unsigned char *words) {
  const EC_GROUP *group = p256_group();
  if (group == NULL) return -1;
  // A key that is not on the curve would leave an error that a later call of Node reports.
  ERR_set_mark();
  ECDSA_SIG *signature = ECDSA_SIG_new();
  EC_KEY *key = EC_KEY_new();
  EC_POINT *point = EC_POINT_new(group);
  BIGNUM *r = word(words, 1), *s = word(words, 2), *x = word(words, 3), *y = word(words, 4);
  bool has_numbers = signature && r && s && ECDSA_SIG_set0(signature, r, s);
  if (!has_numbers) {
    BN_free(r);
    BN_free(s);
  }
  int is_valid = -1;
  if (has_numbers && key && point && x && y && EC_KEY_set_group(key, group)) {
    bool is_on_curve = EC_POINT_set_affine_coordinates(group, point, x, y, NULL) && EC_KEY_set_public_key(key, point);
    is_valid = is_on_curve && ECDSA_do_verify(words, P256_WORD_BYTES, signature, key) == 1;
  }
  BN_free(x);
  BN_free(y);
  EC_POINT_free(point);
  EC_KEY_free(key);
  ECDSA_SIG_free(signature);
  ERR_pop_to_mark();
  return is_valid;
}

void sha256(const unsigned char *bytes, size_t size, unsigned char *digest) {
  // More than the 112 bytes of SHA256_CTX.
  unsigned long long state[32];
  SHA256_Init(state);
  SHA256_Update(state, bytes, size);
  SHA256_Final(digest, state);
}
