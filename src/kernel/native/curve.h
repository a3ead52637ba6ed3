// Curves with pairings, on values in a memory: BLS12-381 by blst and bn254 by code of our own, under the names of mcl's functions, which do
// the same in WebAssembly.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_CURVE_ARGUMENTS 4

// What is wrong with an encoded point; 0 for nothing.
enum encoding_fault { NO_ELEMENT = 1, NOT_ON_CURVE = 2, NO_PADDING = 3 };

struct curve_function {
  const char *name;
  uint8_t arguments;
  // Bytes of the value at each address; 0 for an argument that is a number.
  uint16_t sizes[MOST_CURVE_ARGUMENTS];
  // The argument that is the number of values, or of bytes; -1 for none.
  int8_t count;
  // Where the addresses are within the memory.
  int (*run)(unsigned char *memory, const uint32_t *arguments);
};

extern const struct curve_function bls12381_functions[];
extern const size_t bls12381_function_count;
extern const struct curve_function bn254_functions[];
extern const size_t bn254_function_count;

// Whether addresses are multiples of 8 and their values within a memory of this length.
bool curve_arguments_fit(const struct curve_function *function, const uint32_t *arguments, size_t length);
