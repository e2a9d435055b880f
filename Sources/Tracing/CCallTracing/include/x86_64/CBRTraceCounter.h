// The processor's counter: the time stamp counter.
#pragma once

#include <stdint.h>

// The name that the kernel gives the counter as a source of its clocks.
#define CBR_TRACE_COUNTER_NAME "tsc"

// Not ordered with other instructions: it may be read some nanoseconds earlier.
static inline uint64_t cbr_trace_counter(void) { return __builtin_ia32_rdtsc(); }
