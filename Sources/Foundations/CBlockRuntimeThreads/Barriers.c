#define _GNU_SOURCE
#include "CBRBarriers.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBROwnCalls.h"

static bool barrier(int command) {
  OWN_CALLS;
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool cbr_barrier_register(void) { return barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

bool cbr_barrier(void) { return barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

bool cbr_wait_for_stores(void) {
  OWN_CALLS;
  // Sleeps: nobody wakes the word. Store buffers drain within microseconds, at the latest at an
  // interrupt; 10 ms allow for one at 100 Hz.
  enum { PAUSE = 10000000, SECOND = 1000000000 };
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += (end.tv_nsec + PAUSE) / SECOND;
  end.tv_nsec = (end.tv_nsec + PAUSE) % SECOND;
  uint32_t word = 0;
  // FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock: signals do not prolong it.
  while (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &end, NULL,
                 FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno == EINTR) {}
  return errno == ETIMEDOUT;
}

void cbr_publish_code(void) {
#if !defined(__x86_64__)
  // A process that has not used barriers yet is not registered for them.
  if (!cbr_barrier() && !(cbr_barrier_register() && cbr_barrier())) cbr_wait_for_stores();
#endif
}
