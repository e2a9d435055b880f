#include "CBaselines.h"

int32_t cbl_add(int32_t first, double second) { return first + (int32_t)second; }

CBLPair cbl_shift(CBLPair pair, const char *text, int8_t step) {
  return (CBLPair){pair.x + step, pair.y + text[0]};
}

typedef float float4 __attribute__((vector_size(16)));

static float4 add4(float4 first, float4 second) { return first + second; }

const void *cbl_add4_address(void) { return (const void *)add4; }

const void *cbl_add_address(void) { return (const void *)cbl_add; }

const void *cbl_shift_address(void) { return (const void *)cbl_shift; }
