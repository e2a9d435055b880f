#if defined(__aarch64__)
#define _GNU_SOURCE
#include "CBRBlockLiteral.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CBROwnCalls.h"

// Orders the block's new descriptor before its new invoke pointer for callers, which load both without any
// order: a caller that has loaded the new invoke pointer after this cannot have loaded the old descriptor
// before. Callers therefore need no barrier. Where a filter refuses the system call, nothing is ordered.
static void publish_descriptor(void) {
  OWN_CALLS;
  int error = errno;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  errno = error;
}

// Assembly, because ThreadSanitizer would report an atomic store here as a race with the plain loads in
// compiled code; see x86_64.
bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  publish_descriptor();
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
