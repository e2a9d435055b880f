#include "CBRBlockLiteral.h"

// Compiled code reads a block's invoke pointer with a plain load at every call, so ThreadSanitizer would
// call every replacement a race. It instruments atomic operations even where it is told not to look:
// hence the assembly.
static bool exchange(const void **place, const void *seen, const void *value) {
#if defined(__x86_64__)
  bool is_stored;
  __asm__ volatile("lock cmpxchgq %[value], %[place]"
                   : "=@cce"(is_stored), [place] "+m"(*place), "+a"(seen)
                   : [value] "r"(value)
                   : "memory");
  return is_stored;
#elif defined(__aarch64__)
  const void *found;
  unsigned is_lost;
  __asm__ volatile("1: ldaxr %[found], [%[place]]\n"
                   "cmp %[found], %[seen]\n"
                   "b.ne 2f\n"
                   "stlxr %w[is_lost], %[value], [%[place]]\n"
                   "cbnz %w[is_lost], 1b\n"
                   "2: clrex"
                   : [found] "=&r"(found), [is_lost] "=&r"(is_lost)
                   : [place] "r"(place), [seen] "r"(seen), [value] "r"(value)
                   : "memory", "cc");
  return found == seen;
#else
  return __atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  return exchange(&((struct cbr_block *)block)->invoke, seen, invoke);
}
