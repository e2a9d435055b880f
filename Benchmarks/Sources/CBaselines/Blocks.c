#include "CBaselines.h"

// The runtime's own header is not part of the toolchain.
void *_Block_copy(const void *block);
void _Block_release(const void *block);

typedef int32_t (^Add)(int32_t, double);
typedef CBLPair (^Shift)(CBLPair, const char *, int8_t);

const void *cbl_new_add_block(int32_t offset) {
  return _Block_copy(^int32_t(int32_t first, double second) {
    return first + (int32_t)second + offset;
  });
}

const void *cbl_new_shift_block(double offset) {
  return _Block_copy(^CBLPair(CBLPair pair, const char *text, int8_t step) {
    return (CBLPair){pair.x + step + offset, pair.y + text[0]};
  });
}

void cbl_release(const void *block) { _Block_release(block); }

int64_t cbl_call_add_block(const void *block, int64_t count) {
  Add volatile add = (Add)block;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += add(cbl_first_argument(i), CBL_SECOND_ARGUMENT);
  return sum;
}

int64_t cbl_call_shift_block(const void *block, int64_t count) {
  Shift volatile shift = (Shift)block;
  const CBLPair pair = {CBL_PAIR_X, CBL_PAIR_Y};
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    CBLPair result = shift(pair, CBL_TEXT, cbl_step_argument(i));
    sum += result.x + result.y;
  }
  return (int64_t)sum;
}
