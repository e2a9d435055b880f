// The thread that waits for delayed blocks, and what it waits at.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The monotonic time, in nanoseconds.
uint64_t cbr_timer_now(void);

// Counts forks from now on.
void cbr_timer_watch_forks(void);

// How often this process, or its parents since they were first counted, forked on the way here.
uint32_t cbr_timer_forks(void);

// Starts a detached thread that runs `body`, with all signals blocked but those of its own faults.
// Returns whether it could be started.
bool cbr_timer_thread_start(void (*body)(void *context), void *context);

// Waits until `gate` is no longer `seen`, or until the monotonic time `deadline`; UINT64_MAX is never.
// May also end for no reason.
void cbr_timer_gate_wait(uint32_t *gate, uint32_t seen, uint64_t deadline);

// What `gate` is now, to be given to `cbr_timer_gate_wait`.
uint32_t cbr_timer_gate_read(uint32_t *gate);

// Changes `gate` and wakes the thread that waits at it.
void cbr_timer_gate_open(uint32_t *gate);

// The calling thread, as a number other than 0 that no other living thread has.
uintptr_t cbr_timer_this_thread(void);

// Calls `body` with `block`, which the calling thread runs meanwhile, and returns what it returns.
bool cbr_timer_run(const void *block, bool (*body)(const void *block));

// Whether the calling thread runs `block`.
bool cbr_timer_is_running(const void *block);

// Begins to fetch what lies around a block. A block that is cancelled has often been left alone for
// long; its closure, and its neighbours in the wheel, which were made before and after it, mostly
// lie beside it. Fetched together they cost what one of them costs.
static inline void cbr_timer_prefetch_around(const void *block) {
  const char *memory = (const char *)block;
  __builtin_prefetch(memory + 64, 1);
  __builtin_prefetch(memory - 64, 1);
  __builtin_prefetch(memory - 128, 1);
  __builtin_prefetch(memory + 128, 1);
  __builtin_prefetch(memory + 192, 1);
}

#pragma clang assume_nonnull end
