#include "lanes.h"

// As in ../secp256k1/assembly/recover.ts. A signature: hash, r and s, 32 big-endian bytes each, then 1 if y of R is odd, else 0. A key:
// 4, then x and y, 32 big-endian bytes each; the first byte is 0 if the signature has no key.
enum { SIGNATURE_BYTES = 97, KEY_BYTES = 65 };

// Whether this processor can run recover_lanes.
bool has_recover_lanes(void);

// Recovers the keys of signatures, at most one for each lane, and returns a bit for each, the lowest for the first: 1 if its key was
// written. 0 says nothing: libsecp256k1 must find whether there is a key. Takes as long for one signature as for eight.
uint32_t recover_lanes(const unsigned char *signatures, unsigned char *keys, uint32_t count);
