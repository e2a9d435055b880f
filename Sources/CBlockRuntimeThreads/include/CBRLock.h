// Where threads sleep that find a lock of one word taken, and what they do while they have one.
#pragma once

#include <stdint.h>

#include "CBRReentrancy.h"

#pragma clang assume_nonnull begin

// Waits until `word` is woken, unless it is no longer `seen`. May also end for no reason.
void cbr_lock_wait(const void *word, uint32_t seen);

// Wakes a thread that waits at `word`, which is not read.
void cbr_lock_wake(const void *word);

// Before a lock is taken, and after it was given up: meanwhile the thread's calls of hooked functions
// are ignored, for their handlers may need the lock.
static inline void cbr_lock_begin(void) { cbr_begin_ignoring(); }
static inline void cbr_lock_end(void) { cbr_end_ignoring(); }

#pragma clang assume_nonnull end
