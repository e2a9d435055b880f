#include "CBaselines.h"

int32_t cbl_add(int32_t first, double second) { return first + (int32_t)second; }

CBLPair cbl_shift(CBLPair pair, const char *text, int8_t step) {
  return (CBLPair){pair.x + step, pair.y + text[0]};
}

const void *cbl_add_address(void) { return (const void *)cbl_add; }

const void *cbl_shift_address(void) { return (const void *)cbl_shift; }
