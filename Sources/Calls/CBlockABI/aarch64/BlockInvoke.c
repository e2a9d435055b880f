#if defined(__aarch64__)
#include "CBRBarriers.h"
#include "CBRBlockLiteral.h"

// Callers load the invoke pointer, and in the code that it leads to the descriptor, without any
// order.
//
// This is assembly, because ThreadSanitizer would report an atomic store here as a race with the
// plain loads in compiled code; see the file in x86_64.
bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  cbr_publish_code();
  const void **place = &((struct cbr_block *)block)->invoke;
  const void *found;
  unsigned store_failed;
  __asm__ volatile("1: ldaxr %[found], [%[place]]\n"
                   "cmp %[found], %[seen]\n"
                   "b.ne 2f\n"
                   "stlxr %w[store_failed], %[invoke], [%[place]]\n"
                   "cbnz %w[store_failed], 1b\n"
                   "2: clrex"
                   : [found] "=&r"(found), [store_failed] "=&r"(store_failed)
                   : [place] "r"(place), [seen] "r"(seen), [invoke] "r"(invoke)
                   : "memory", "cc");
  return found == seen;
}
#endif
