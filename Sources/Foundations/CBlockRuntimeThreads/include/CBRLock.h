// The futex calls of a one-word lock.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// Waits until `word` is woken; returns at once if it is not `seen`. May return spuriously.
void cbr_lock_wait(const void *word, uint32_t seen);

// Wakes one thread that waits at `word`, which is not read.
void cbr_lock_wake(const void *word);

#pragma clang assume_nonnull end
