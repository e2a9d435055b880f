// The time of traced calls: CLOCK_MONOTONIC, computed from the processor's counter where that is
// faster.
//
// While the counter and the clock advance at rates that are known, the clock is a line over the
// counter. A line holds for a few milliseconds, and then the clock is read again, so that
// corrections of the clock are followed. A time is smaller than an earlier one only where the clock
// itself is read instead of the line, by no more than the line's error: while another thread
// changes the line, and once the counter is unsteady.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "x86_64/CBRTraceCounter.h"
#elif defined(__aarch64__)
#include "aarch64/CBRTraceCounter.h"
#else
#include "other/CBRTraceCounter.h"
#endif

#pragma clang assume_nonnull begin

// The longest time for which a line holds, in nanoseconds. While the rates of counter and clock
// change by less than a thousandth, the computed time is therefore at most 4.2 µs and the time of
// reading the clock from the clock's.
#define CBR_TRACE_LINE ((uint64_t)1 << 22)

// The time over which rates are measured, at least.
#define CBR_TRACE_BASELINE ((uint64_t)1 << 20)

// A clock that is computed from a counter. All zeros is one that has not been read yet.
struct cbr_trace_line {
  // Odd while the line is being changed.
  _Atomic uint32_t version;
  // Where the line begins, for how many ticks of the counter it holds, and its nanoseconds per
  // tick, times 2^32. The line holds for no time if the clock must be read.
  _Atomic uint64_t ticks;
  _Atomic uint64_t span;
  _Atomic uint64_t nanoseconds;
  _Atomic uint64_t slope;
  // When counter and clock were last read together, which is when the clock was last known.
  uint64_t known_ticks;
  _Atomic uint64_t known_nanoseconds;
  // The last rate of the clock that was measured, times 2^32, and how many have differed from it in
  // a row.
  uint64_t rate;
  uint32_t doubts;
  // Whether the counter was found to be unsteady: the clock is always read.
  _Atomic bool is_unsteady;
};

// The time when the counter reads `ticks`; false if the line does not hold there.
static inline bool cbr_trace_line_at(struct cbr_trace_line *line, uint64_t ticks, uint64_t *time) {
  uint32_t version = atomic_load_explicit(&line->version, memory_order_acquire);
  uint64_t start = atomic_load_explicit(&line->ticks, memory_order_relaxed);
  uint64_t span = atomic_load_explicit(&line->span, memory_order_relaxed);
  uint64_t nanoseconds = atomic_load_explicit(&line->nanoseconds, memory_order_relaxed);
  uint64_t slope = atomic_load_explicit(&line->slope, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  // Below `start`, the difference is larger than any span.
  if (__builtin_expect(ticks - start >= span || version % 2 != 0 ||
                           atomic_load_explicit(&line->version, memory_order_relaxed) != version, 0))
    return false;
  *time = nanoseconds + ((ticks - start) * slope >> 32);
  return true;
}

// Begins the next line: the clock read `now` when the counter read `ticks`. Returns the time to
// use, which is `now`, or later by the error of the line before.
uint64_t cbr_trace_line_follow(struct cbr_trace_line *line, uint64_t ticks, uint64_t now);

// Makes a line usable that a thread was changing which does not exist any more.
void cbr_trace_line_reset(struct cbr_trace_line *line);

// What traced calls read.
extern struct cbr_trace_line cbr_trace_monotonic __attribute__((visibility("hidden")));

// Whether the clock is computed from the counter: if that is steady, the same on all processors,
// and what the system computes the clock from, and the environment does not say
// BLOCKRUNTIME_TRACE_CLOCK=system.
bool cbr_trace_use_counter(void);

// Whether a file of the kernel says that it computes its clocks from the counter.
bool cbr_trace_is_system_counter(const char *path);

// Makes the line of a forked child usable if another thread was changing it at the fork.
void cbr_trace_time_in_child(void);

// Reads the clock, and begins the next line if it is time.
uint64_t cbr_trace_read_clock(void);

// The time now, in nanoseconds of CLOCK_MONOTONIC; `cbr_trace_use_counter` must have said true.
static inline uint64_t cbr_trace_time(void) {
  uint64_t time;
  if (__builtin_expect(cbr_trace_line_at(&cbr_trace_monotonic, cbr_trace_counter(), &time), 1))
    return time;
  return cbr_trace_read_clock();
}

#pragma clang assume_nonnull end
