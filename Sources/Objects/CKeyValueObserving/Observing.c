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

// The futex word on which `removeAndWait()` sleeps: the number of ended calls of removed observers.
static uint32_t ended;

void cbr_observing_wait(void) {
  OWN_CALLS;
  // A wake-up before this read is missed, so the wait ends after a millisecond at most.
  static const struct timespec moment = {.tv_nsec = 1000000};
  uint32_t seen = __atomic_load_n(&ended, __ATOMIC_RELAXED);
  syscall(SYS_futex, &ended, FUTEX_WAIT_PRIVATE, seen, &moment);
}

void cbr_observing_wake(void) {
  OWN_CALLS;
  __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &ended, FUTEX_WAKE_PRIVATE, INT_MAX);
}
