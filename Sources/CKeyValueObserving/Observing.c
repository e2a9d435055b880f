#define _GNU_SOURCE
#include "CBRObserving.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBROwnCalls.h"

_Atomic(unsigned) cbr_observing_modes;

static _Thread_local struct cbr_observing_thread here;

struct cbr_observing_thread *cbr_observing_here(void) { return &here; }

void cbr_observing_begin_mode(void) {
  atomic_fetch_add_explicit(&cbr_observing_modes, 1, memory_order_relaxed);
}

void cbr_observing_end_mode(void) {
  atomic_fetch_sub_explicit(&cbr_observing_modes, 1, memory_order_relaxed);
}

// How many calls have ended that somebody may wait for: where waiters sleep.
static uint32_t ended;

void cbr_observing_wait(void) {
  OWN_CALLS;
  // A wake that came before the wait is missed: the waiter looks again after a millisecond.
  static const struct timespec moment = {.tv_nsec = 1000000};
  uint32_t seen = __atomic_load_n(&ended, __ATOMIC_RELAXED);
  syscall(SYS_futex, &ended, FUTEX_WAIT_PRIVATE, seen, &moment);
}

void cbr_observing_wake(void) {
  OWN_CALLS;
  __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &ended, FUTEX_WAKE_PRIVATE, INT_MAX);
}
