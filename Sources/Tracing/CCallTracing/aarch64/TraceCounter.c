#if defined(__aarch64__)
#include "../TraceCounter.h"

#include <stdint.h>

bool cbr_trace_counter_is_steady(void) {
  // The architecture has the generic timer advance at a fixed rate; firmware that does not know its
  // own stores 0.
  uint64_t frequency;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return (uint32_t)frequency != 0;
}
#endif
