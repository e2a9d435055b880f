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
  static const struct timespec long_enough = {.tv_nsec = 10000000};
  uint32_t word = 0;
  while (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &long_enough) == 0 || errno == EINTR) {}
  return errno == ETIMEDOUT;
}

void cbr_publish_code(void) {
#if !defined(__x86_64__)
  // A process that has not used barriers yet is not registered for them.
  if (!cbr_barrier() && !(cbr_barrier_register() && cbr_barrier())) cbr_wait_for_stores();
#endif
}
