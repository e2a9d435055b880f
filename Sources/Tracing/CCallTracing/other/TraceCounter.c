#if !defined(__x86_64__) && !defined(__aarch64__)
#include "../TraceCounter.h"

bool cbr_trace_counter_is_steady(void) { return false; }
#endif
