#include "ctest_oracle.h"

#include <stdint.h>

// The runtime's function; the toolchain ships no header that declares it.
const char *_Block_signature(void *block);

const char *ctest_block_signature(const void *block) { return _Block_signature((void *)block); }

bool ctest_block_uses_struct_return(const void *block) {
  int32_t flags = *(const int32_t *)((const char *)block + sizeof(void *));
  return (flags & (1 << 29)) != 0;
}

int ctest_clang_version(void) { return __clang_major__; }

#define ctest_blocks_function ctest_c_blocks
#include "blocks.inc"
