// libsecp256k1 as an addon of Node, which ../secp256k1/addon.ts loads. build/secp256k1-addon.mjs compiles it.
#include <node_api.h>
#include <secp256k1.h>
#include <secp256k1_recovery.h>

// As in assembly/recover.ts. A signature: hash, r and s, 32 big-endian bytes each, then 1 if y of R is odd, else 0. A key: 4, then x
// and y, 32 big-endian bytes each; the first byte is 0 if the signature has no key.
enum { SIGNATURE_BYTES = 97, KEY_BYTES = 65 };

// Called if an argument is a null pointer, or if the library finds a fault of its own. It would print and abort; nothing here prints.
void secp256k1_default_illegal_callback_fn(const char *message, void *data) { __builtin_trap(); }
void secp256k1_default_error_callback_fn(const char *message, void *data) { __builtin_trap(); }

static int recover_key(const unsigned char *signature, unsigned char *key) {
  secp256k1_ecdsa_recoverable_signature parsed;
  secp256k1_pubkey recovered;
  size_t length = KEY_BYTES;
  const secp256k1_context *context = secp256k1_context_static;
  return secp256k1_ecdsa_recoverable_signature_parse_compact(context, &parsed, signature + 32, signature[96] & 1) &&
         secp256k1_ecdsa_recover(context, &recovered, &parsed, signature) &&
         secp256k1_ec_pubkey_serialize(context, key, &length, &recovered, SECP256K1_EC_UNCOMPRESSED);
}

// Gives NULL unless the value is a Uint8Array of at least this length.
static unsigned char *read_bytes(napi_env env, napi_value value, size_t least) {
  bool is_array;
  napi_typedarray_type type;
  size_t length;
  void *bytes;
  if (napi_is_typedarray(env, value, &is_array) != napi_ok || !is_array) return NULL;
  if (napi_get_typedarray_info(env, value, &type, &length, &bytes, NULL, NULL) != napi_ok) return NULL;
  return type == napi_uint8_array && length >= least ? bytes : NULL;
}

// recover(signatures: Uint8Array, keys: Uint8Array, count: number): void
static napi_value recover(napi_env env, napi_callback_info info) {
  size_t arguments = 3;
  napi_value values[3];
  uint32_t count;
  if (napi_get_cb_info(env, info, &arguments, values, NULL, NULL) != napi_ok || arguments < 3 ||
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
  for (uint32_t i = 0; i < count; i++) {
    unsigned char *key = keys + (size_t)i * KEY_BYTES;
    if (!recover_key(signatures + (size_t)i * SIGNATURE_BYTES, key)) key[0] = 0;
  }
  return NULL;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "recover", NAPI_AUTO_LENGTH, recover, NULL, &function) != napi_ok ||
      napi_set_named_property(env, exports, "recover", function) != napi_ok) {
    return NULL;
  }
  return exports;
}
