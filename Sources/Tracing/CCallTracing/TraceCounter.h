// The facts that each processor's folder gives of its counter.
#pragma once

#include <stdbool.h>

// Whether the counter advances at one rate, whatever the processor does, and this process may read
// it.
bool cbr_trace_counter_is_steady(void);
