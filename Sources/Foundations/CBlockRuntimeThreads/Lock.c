#define _GNU_SOURCE
#include "CBRLock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CBROwnCalls.h"

void cbr_lock_wait(const void *word, uint32_t seen) {
  OWN_CALLS;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL);
}

void cbr_lock_wake(const void *word) {
  OWN_CALLS;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}
