// The processor's counter: the virtual count of the generic timer.
#pragma once

#include <stdint.h>

// The name that the kernel gives the counter as a source of its clocks.
#define CBR_TRACE_COUNTER_NAME "arch_sys_counter"

// Not ordered with other instructions: it may be read some nanoseconds earlier.
static inline uint64_t cbr_trace_counter(void) {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
