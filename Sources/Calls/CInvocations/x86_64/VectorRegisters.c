#if defined(__x86_64__)
#include "CBRCallMemory.h"

_Bool cbr_has_vectors(uint32_t bytes) {
  __builtin_cpu_init();
  return bytes <= 16 || (bytes == 32 ? __builtin_cpu_supports("avx") : __builtin_cpu_supports("avx512f"));
}
#endif
