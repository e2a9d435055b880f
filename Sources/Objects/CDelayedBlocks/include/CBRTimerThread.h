// The thread that waits until delayed blocks are due, the gate at which it waits, and the runs of
// blocks.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The monotonic time, in nanoseconds.
uint64_t cbr_timer_now(void);

// Counts forks from now on.
void cbr_timer_watch_forks(void);

// The number of forks between this process and its ancestor that first called
// `cbr_timer_watch_forks`; 0 in that process itself.
uint32_t cbr_timer_forks(void);

// Starts a detached thread that runs `body`, with all signals blocked except those of its own
// faults. Returns whether it was started.
bool cbr_timer_thread_start(void (*body)(void *context), void *context);

// Waits until `gate` is no longer `seen`, or until the monotonic time `deadline`; UINT64_MAX is
// never. May return spuriously.
void cbr_timer_gate_wait(uint32_t *gate, uint32_t seen, uint64_t deadline);

// The present value of `gate`, for `cbr_timer_gate_wait`.
uint32_t cbr_timer_gate_read(uint32_t *gate);

// Changes `gate` and wakes the thread that waits at it.
void cbr_timer_gate_open(uint32_t *gate);

// A number that identifies the calling thread among all live threads; not 0.
uintptr_t cbr_timer_this_thread(void);

// Calls `body` with `block`, and returns its result; meanwhile the calling thread is running
// `block`.
bool cbr_timer_run(const void *block, bool (*body)(const void *block));

// Whether the calling thread is running `block`.
bool cbr_timer_is_running(const void *block);

// Prefetches the memory around a block. A block that is cancelled has often left the caches; its
// closure, and its neighbours in the wheel, which were allocated just before and after it, are
// mostly adjacent. Prefetched together, they take as long as one cache miss.
static inline void cbr_timer_prefetch_around(const void *block) {
  const char *memory = (const char *)block;
  __builtin_prefetch(memory + 64, 1);
  __builtin_prefetch(memory - 64, 1);
  __builtin_prefetch(memory - 128, 1);
  __builtin_prefetch(memory + 128, 1);
  __builtin_prefetch(memory + 192, 1);
}

#pragma clang assume_nonnull end
