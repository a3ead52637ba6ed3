#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether this processor can run keccak_lanes.
bool has_keccak_lanes(void);

// Writes the hashes of items of memory, 32 bytes each. The table has for each its address and length, 32 bits both. Addresses are
// offsets in memory, and all must be in it.
void keccak_lanes(unsigned char *memory, uint32_t table, uint32_t count, uint32_t hashes);
