#include <stdbool.h>
#include <stdint.h>

// Codec (1 byte) and masked CRC-32C (4 bytes) that follow every block of a table.
enum { BLOCK_TRAILER_BYTES = 5 };

// Whether this processor can run read_block.
bool has_read_block(void);

// Reads a stored block and its trailer from an offset of the file to memory that has room for both. False unless the file has all of
// them and the checksum matches.
bool read_block(int descriptor, uint64_t offset, uint32_t length, unsigned char *block);
