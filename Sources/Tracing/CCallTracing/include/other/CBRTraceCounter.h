// For processors whose counter is not used.
#pragma once

#include <stdint.h>

#define CBR_TRACE_COUNTER_NAME ""

static inline uint64_t cbr_trace_counter(void) { return 0; }
