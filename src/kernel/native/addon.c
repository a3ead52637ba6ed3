// An addon of Node, which load-native.ts loads: public keys by libsecp256k1 or recover-lanes.c, the hashes of keccak-lanes.c, the
// blocks of tables of read-block.c, BLS12-381 by blst, bn254, and what Node's OpenSSL has for precompiles.
// build/native-addon.mjs compiles it.
#include <node_api.h>
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include "curve.h"
#include "keccak-lanes.h"
#include "odd-power.h"
#include "openssl.h"
#include "read-block.h"
#include "recover-lanes.h"

// Called if an argument is a null pointer, or if the library finds a fault of its own. It would print and abort; nothing here prints.
void secp256k1_default_illegal_callback_fn(const char *message, void *data) { __builtin_trap(); }
void secp256k1_default_error_callback_fn(const char *message, void *data) { __builtin_trap(); }

static bool recover_key(const unsigned char *signature, unsigned char *key) {
  secp256k1_ecdsa_recoverable_signature parsed;
  secp256k1_pubkey recovered;
  size_t length = KEY_BYTES;
  const secp256k1_context *context = secp256k1_context_static;
  return secp256k1_ecdsa_recoverable_signature_parse_compact(context, &parsed, signature + 32, signature[96] & 1) &&
         secp256k1_ecdsa_recover(context, &recovered, &parsed, signature) &&
         secp256k1_ec_pubkey_serialize(context, key, &length, &recovered, SECP256K1_EC_UNCOMPRESSED);
}

// Gives NULL unless the value is a Uint8Array.
static unsigned char *read_array(napi_env env, napi_value value, size_t *length) {
  // Memory of an empty array may be a null pointer.
  static unsigned char none;
  bool is_array;
  napi_typedarray_type type;
  void *bytes;
  if (napi_is_typedarray(env, value, &is_array) != napi_ok || !is_array) return NULL;
  if (napi_get_typedarray_info(env, value, &type, length, &bytes, NULL, NULL) != napi_ok || type != napi_uint8_array) return NULL;
  return bytes == NULL ? &none : bytes;
}

// Gives NULL unless the value is a Uint8Array of at least this length.
static unsigned char *read_bytes(napi_env env, napi_value value, size_t least) {
  size_t length;
  unsigned char *bytes = read_array(env, value, &length);
  return bytes != NULL && length >= least ? bytes : NULL;
}

typedef uint32_t group_recovery(const unsigned char *signatures, unsigned char *keys, uint32_t count);

// recover(signatures: Uint8Array, keys: Uint8Array, count: number): void
static napi_value recover(napi_env env, napi_callback_info info) {
  size_t arguments = 3;
  napi_value values[3];
  uint32_t count;
  void *data;
  if (napi_get_cb_info(env, info, &arguments, values, NULL, &data) != napi_ok || arguments < 3 ||
      napi_get_value_uint32(env, values[2], &count) != napi_ok) {
    napi_throw_type_error(env, NULL, "expected signatures, keys and a count");
    return NULL;
  }
  unsigned char *signatures = read_bytes(env, values[0], (size_t)count * SIGNATURE_BYTES);
  unsigned char *keys = read_bytes(env, values[1], (size_t)count * KEY_BYTES);
  if (count > 0 && (signatures == NULL || keys == NULL)) {
    napi_throw_range_error(env, NULL, "count: more than the bytes of signatures or keys");
    return NULL;
  }
  group_recovery *recover_group = data;
  for (uint32_t i = 0; i < count; i += LANES) {
    uint32_t some = count - i < LANES ? count - i : LANES;
    unsigned char *group = signatures + (size_t)i * SIGNATURE_BYTES, *key = keys + (size_t)i * KEY_BYTES;
    // The lanes take as long for eight keys as the library does for one: 33 and 29 us (2026-11-25).
    uint32_t found = recover_group != NULL && some > 1 ? recover_group(group, key, some) : 0;
    for (uint32_t j = 0; j < some; j++, group += SIGNATURE_BYTES, key += KEY_BYTES)
      if (!(found >> j & 1) && !recover_key(group, key)) key[0] = 0;
  }
  return NULL;
}

// Whether count entries of so many bytes at an offset are within the length.
static bool fits(uint32_t at, uint32_t count, uint32_t bytes, size_t length) {
  return at + (uint64_t)count * bytes <= length;
}

// hashItems(memory: Uint8Array, table: number, count: number, hashes: number): void
static napi_value hash_items(napi_env env, napi_callback_info info) {
  size_t arguments = 4;
  napi_value values[4];
  napi_typedarray_type type;
  size_t length;
  void *memory;
  uint32_t table, count, hashes;
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 4 ||
      napi_get_typedarray_info(env, values[0], &type, &length, &memory, NULL, NULL) != napi_ok || type != napi_uint8_array ||
      napi_get_value_uint32(env, values[1], &table) != napi_ok || napi_get_value_uint32(env, values[2], &count) != napi_ok ||
      napi_get_value_uint32(env, values[3], &hashes) != napi_ok) {
    napi_throw_type_error(env, NULL, "expected memory, table, count and hashes");
    return NULL;
  }
  // The hashes must not replace items that were checked.
  bool is_apart = fits(table, count, 8, hashes) || fits(hashes, count, 32, table);
  bool is_inside = is_apart && fits(table, count, 8, length) && fits(hashes, count, 32, length);
  for (uint32_t i = 0; is_inside && i < count; i++) {
    uint32_t item[2];
    __builtin_memcpy(item, (unsigned char *)memory + table + 8 * (size_t)i, 8);
    is_inside = fits(item[0], 1, item[1], length);
  }
  if (is_inside) keccak_lanes(memory, table, count, hashes);
  else napi_throw_range_error(env, NULL, "table: expected items and room for hashes in the memory");
  return NULL;
}

// readBlock(memory: Uint8Array, descriptor: number, offset: number, length: number, at: number): boolean
static napi_value read_block_at(napi_env env, napi_callback_info info) {
  size_t arguments = 5;
  napi_value values[5], result;
  int32_t descriptor;
  int64_t offset;
  uint32_t length, at;
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 5 ||
      napi_get_value_int32(env, values[1], &descriptor) != napi_ok || napi_get_value_int64(env, values[2], &offset) != napi_ok ||
      napi_get_value_uint32(env, values[3], &length) != napi_ok || napi_get_value_uint32(env, values[4], &at) != napi_ok) {
    napi_throw_type_error(env, NULL, "expected memory, descriptor, offset, length and at");
    return NULL;
  }
  unsigned char *memory = read_bytes(env, values[0], (size_t)at + length + BLOCK_TRAILER_BYTES);
  if (memory == NULL) {
    napi_throw_range_error(env, NULL, "at: expected room for the block and its trailer in the memory");
    return NULL;
  }
  return napi_get_boolean(env, read_block(descriptor, offset, length, memory + at), &result) == napi_ok ? result : NULL;
}

// More than any operand of MODEXP that is short.
#define MOST_POWER_BYTES 4096

// modExp(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array, result: Uint8Array): boolean
static napi_value mod_exp_of(napi_env env, napi_callback_info info) {
  size_t arguments = 4, length[4];
  napi_value values[4], done;
  unsigned char *bytes[4];
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 4) return NULL;
  bool fits = true;
  for (int i = 0; fits && i < 4; i++) {
    bytes[i] = read_array(env, values[i], &length[i]);
    fits = bytes[i] != NULL && length[i] <= MOST_POWER_BYTES;
  }
  if (!fits || length[3] != length[2]) {
    napi_throw_range_error(env, NULL, "expected base, exponent and modulus of at most 4096 bytes, and a result as long as the modulus");
    return NULL;
  }
  bool is_done = mod_exp(bytes[0], length[0], bytes[1], length[1], bytes[2], length[2], bytes[3]);
  return napi_get_boolean(env, is_done, &done) == napi_ok ? done : NULL;
}

// oddPower(numbers: Uint8Array, exponent: Uint8Array, result: Uint8Array): void
static napi_value odd_power_of(napi_env env, napi_callback_info info) {
  size_t arguments = 3, length[3];
  napi_value values[3];
  unsigned char *bytes[3];
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 3) return NULL;
  bool fits = true;
  for (int i = 0; fits && i < 3; i++) {
    bytes[i] = read_array(env, values[i], &length[i]);
    fits = bytes[i] != NULL;
  }
  size_t words = fits ? length[2] / 8 : 0;
  if (words < 1 || words > MOST_WORDS || length[2] != 8 * words || length[0] != 3 * length[2] || length[1] > MOST_POWER_BYTES) {
    napi_throw_range_error(env, NULL, "expected modulus, one and base of up to eight words each, and a result of as many");
    return NULL;
  }
  // The arrays may begin anywhere.
  uint64_t numbers[3 * MOST_WORDS], result[MOST_WORDS];
  __builtin_memcpy(numbers, bytes[0], length[0]);
  odd_power(numbers, numbers + words, numbers + 2 * words, (int)words, bytes[1], length[1], result);
  __builtin_memcpy(bytes[2], result, length[2]);
  return NULL;
}

// verifyP256(words: Uint8Array): boolean | undefined
static napi_value verify_p256_of(napi_env env, napi_callback_info info) {
  size_t arguments = 1;
  napi_value values[1], valid;
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 1) return NULL;
  unsigned char *words = read_bytes(env, values[0], 5 * P256_WORD_BYTES);
  if (words == NULL) {
    napi_throw_range_error(env, NULL, "words: expected 160 bytes");
    return NULL;
  }
  int is_valid = verify_p256(words);
  return is_valid >= 0 && napi_get_boolean(env, is_valid == 1, &valid) == napi_ok ? valid : NULL;
}

// sha256(bytes: Uint8Array, digest: Uint8Array): void
static napi_value sha256_of(napi_env env, napi_callback_info info) {
  size_t arguments = 2, length;
  napi_value values[2];
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 2) return NULL;
  unsigned char *bytes = read_array(env, values[0], &length), *digest = read_bytes(env, values[1], 32);
  if (bytes == NULL || digest == NULL) napi_throw_range_error(env, NULL, "expected bytes, and 32 for the digest");
  else sha256(bytes, length, digest);
  return NULL;
}

// f(memory: Uint8Array, ...addresses and numbers): number, for each function of bls12381.c and bn254.c
static napi_value call_curve(napi_env env, napi_callback_info info) {
  size_t given = 1 + MOST_CURVE_ARGUMENTS, length;
  napi_value values[1 + MOST_CURVE_ARGUMENTS], result;
  napi_typedarray_type type;
  uint32_t arguments[MOST_CURVE_ARGUMENTS];
  void *memory, *data;
  if (napi_get_cb_info(env, info, &given, values, NULL, &data) != napi_ok) return NULL;
  const struct curve_function *function = data;
  bool fits = given >= 1u + function->arguments &&
              napi_get_typedarray_info(env, values[0], &type, &length, &memory, NULL, NULL) == napi_ok && type == napi_uint8_array;
  for (int i = 0; fits && i < function->arguments; i++) fits = napi_get_value_uint32(env, values[1 + i], &arguments[i]) == napi_ok;
  if (!fits || !curve_arguments_fit(function, arguments, length)) {
    napi_throw_range_error(env, NULL, "expected a memory, and values in it");
    return NULL;
  }
  return napi_create_int32(env, function->run(memory, arguments), &result) == napi_ok ? result : NULL;
}

// The callback is given the data at each call.
static bool define(napi_env env, napi_value exports, const char *name, napi_callback callback, void *data) {
  napi_value function;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, data, &function) == napi_ok &&
         napi_set_named_property(env, exports, name, function) == napi_ok;
}

static bool define_curve(napi_env env, napi_value exports, const char *name, const struct curve_function *functions, size_t count) {
  napi_value curve;
  if (napi_create_object(env, &curve) != napi_ok) return false;
  for (size_t i = 0; i < count; i++)
    if (!define(env, curve, functions[i].name, call_curve, (void *)&functions[i])) return false;
  return napi_set_named_property(env, exports, name, curve) == napi_ok;
}

NAPI_MODULE_INIT() {
  napi_value lanes;
  if (!define(env, exports, "recover", recover, has_recover_lanes() ? recover_lanes : NULL)) return NULL;
  if (napi_create_uint32(env, has_recover_lanes() ? LANES : 1, &lanes) != napi_ok ||
      napi_set_named_property(env, exports, "recoverLanes", lanes) != napi_ok)
    return NULL;
  if (has_keccak_lanes() && !define(env, exports, "hashItems", hash_items, NULL)) return NULL;
  if (has_read_block() && !define(env, exports, "readBlock", read_block_at, NULL)) return NULL;
  if (!define(env, exports, "oddPower", odd_power_of, NULL)) return NULL;
  if (!define_curve(env, exports, "bls12381", bls12381_functions, bls12381_function_count) ||
      !define_curve(env, exports, "bn254", bn254_functions, bn254_function_count))
    return NULL;
  if (has_openssl() && (!define(env, exports, "modExp", mod_exp_of, NULL) || !define(env, exports, "verifyP256", verify_p256_of, NULL) ||
                        !define(env, exports, "sha256", sha256_of, NULL)))
    return NULL;
  return exports;
}
