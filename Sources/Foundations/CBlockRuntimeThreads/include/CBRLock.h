// The futex calls of a one-word lock, and the guard that is set while a thread holds one.
#pragma once

#include <stdint.h>

#include "CBRReentrancy.h"

#pragma clang assume_nonnull begin

// Waits until `word` is woken; returns at once if it is not `seen`. May return spuriously.
void cbr_lock_wait(const void *word, uint32_t seen);

// Wakes one thread that waits at `word`, which is not read.
void cbr_lock_wake(const void *word);

// Called before a lock is taken and after it was released: in between, the thread's calls of hooked
// functions are ignored, because their handlers may need the same lock.
static inline void cbr_lock_begin(void) { cbr_begin_ignoring(); }
static inline void cbr_lock_end(void) { cbr_end_ignoring(); }

#pragma clang assume_nonnull end
