// What keccak-lanes.c and recover-lanes.c share: the lanes of AVX-512, and whether this processor has them.
#pragma once
#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

enum { LANES = 8 };

// A word in each lane.
typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));

// Whether the processor has all these features of AVX-512, bits of EBX in leaf 7 of CPUID, and the system keeps its registers.
static inline bool has_avx512(unsigned features) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 0xe6) == 0xe6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & features) == features;
}
