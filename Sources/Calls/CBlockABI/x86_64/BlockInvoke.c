#if defined(__x86_64__)
#include "CBRBlockLiteral.h"

// Compiled code reads a block's invoke pointer with a plain load at every call, so ThreadSanitizer
// would report every replacement as a race. It instruments atomic operations even in functions that
// it is told to skip, so this is assembly.
bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  const void **place = &((struct cbr_block *)block)->invoke;
  bool is_stored;
  __asm__ volatile("lock cmpxchgq %[invoke], %[place]"
                   : "=@cce"(is_stored), [place] "+m"(*place), "+a"(seen)
                   : [invoke] "r"(invoke)
                   : "memory");
  return is_stored;
}
#endif
