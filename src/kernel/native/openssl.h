// Powers, SHA-256 and P-256 by the OpenSSL that is part of Node.
#include <stdbool.h>
#include <stddef.h>

#define P256_WORD_BYTES 32

// Whether the process has OpenSSL's functions.
bool has_openssl(void);

// Writes base to the power of the exponent modulo a number, which is not zero, in `size` bytes. All are big-endian. False without memory.
bool mod_exp(const unsigned char *base, size_t base_size, const unsigned char *exponent, size_t exponent_size,
             const unsigned char *modulus, size_t size, unsigned char *result);

// Whether a signature of secp256r1 is valid: words of the hash, r, s, and the coordinates of the key. Negative if OpenSSL cannot say.
int verify_p256(const unsigned char *words);

void sha256(const unsigned char *bytes, size_t size, unsigned char *digest);
