#if defined(__x86_64__)
#include "../TraceCounter.h"

#include <cpuid.h>
#include <sys/prctl.h>

#include "CBROwnCalls.h"

bool cbr_trace_counter_is_steady(void) {
  OWN_CALLS;
  // Power management, EDX bit 8: the counter's rate does not change with the processor's.
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1 << 8)) return false;
  // A process may have asked for a signal instead.
  int access = 0;
  return prctl(PR_GET_TSC, &access) == 0 && access == PR_TSC_ENABLE;
}
#endif
