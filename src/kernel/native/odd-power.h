// Powers modulo odd numbers of up to eight words, in Montgomery's form.
#include <stddef.h>
#include <stdint.h>

#define MOST_WORDS 8

// Writes a power: base and one are those numbers times 2^(64 words) modulo the odd modulus, in words from the lowest on; the exponent is
// big-endian. The result is the power itself.
void odd_power(const uint64_t *modulus, const uint64_t *one, const uint64_t *base, int words, const unsigned char *exponent,
               size_t exponent_size, uint64_t *result);
