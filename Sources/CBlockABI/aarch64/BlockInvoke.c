#if defined(__aarch64__)
#include "CBRBlockLiteral.h"

// In assembly, which ThreadSanitizer does not instrument: compiled code reads the pointer with a plain load.
bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  const void **place = &((struct cbr_block *)block)->invoke;
  const void *found;
  unsigned is_lost;
  __asm__ volatile("1: ldaxr %[found], [%[place]]\n"
                   "cmp %[found], %[seen]\n"
                   "b.ne 2f\n"
                   "stlxr %w[is_lost], %[invoke], [%[place]]\n"
                   "cbnz %w[is_lost], 1b\n"
                   "2: clrex"
                   : [found] "=&r"(found), [is_lost] "=&r"(is_lost)
                   : [place] "r"(place), [seen] "r"(seen), [invoke] "r"(invoke)
                   : "memory", "cc");
  return found == seen;
}
#endif
