#define _GNU_SOURCE
#include "CBRLock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void cbr_lock_wait(const void *word, uint32_t seen) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL);
}

void cbr_lock_wake(const void *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1); }
