// Where threads sleep that find a lock of one word taken.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// Waits until `word` is woken, unless it is no longer `seen`. May also end for no reason.
void cbr_lock_wait(const void *word, uint32_t seen);

// Wakes a thread that waits at `word`, which is not read.
void cbr_lock_wake(const void *word);

#pragma clang assume_nonnull end
