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

void cbl_release(const void *block) { _Block_release(block); }

int64_t cbl_call_add_block(const void *block, int64_t count) {
  Add volatile add = (Add)block;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += add(cbl_first_argument(i), CBL_SECOND_ARGUMENT);
  return sum;
}
