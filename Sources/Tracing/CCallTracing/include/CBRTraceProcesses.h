// The processes of a trace, whose numbers mean something within their namespace only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The namespace of the process's own number, as it was when this was first called in it or in the
// process from which it was forked; 0 if that is not known.
uint64_t cbr_trace_namespace(void);

// The number of this process; 0 unless it counts in that namespace.
int32_t cbr_trace_known_process(void);

// Whether no thread of a process runs any more, of the namespace of this process. False if that is
// not known.
bool cbr_trace_process_has_ended(int32_t process);
