#include "CBaselines.h"

// The runtime's own header is not part of the toolchain.
void *_Block_copy(const void *block);
void _Block_release(const void *block);

typedef int32_t (^Add)(int32_t, double);

const void *cbl_new_add_block(int32_t offset) {
  return _Block_copy(^int32_t(int32_t first, double second) {
    return first + (int32_t)second + offset;
  });
}

typedef int32_t (^Wide)(int32_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, double, double,
                        CBLWide);

const void *cbl_new_wide_block(void) {
  int32_t offset = 0;
  return _Block_copy(^int32_t(int32_t first, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
                              double x, double y, double z, CBLWide wide) {
    return first + (int32_t)wide.values[6] + offset;
  });
}

int64_t cbl_call_wide_block(const void *block, int64_t count) {
  Wide volatile wide = (Wide)block;
  CBLWide last = {{0, 0, 0, 0, 0, 0, CBL_SECOND_ARGUMENT}};
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += wide(cbl_first_argument(i), 2, 3, 4, 5, 6, 0.5, 1, 2, last);
  return sum;
}

void cbl_release(const void *block) { _Block_release(block); }

int64_t cbl_call_add_block(const void *block, int64_t count) {
  Add volatile add = (Add)block;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += add(cbl_first_argument(i), CBL_SECOND_ARGUMENT);
  return sum;
}
