// The state of a thread: the calls in progress, and the queue that it runs.
#pragma once

#include <stddef.h>

// Writes the return addresses of the thread's calls in progress, the innermost first; returns their number.
size_t cbr_call_sites(void *_Nullable *_Nonnull addresses, size_t count);

// The label of the queue that the thread runs; NULL if the program has no libdispatch.
const char *_Nullable cbr_queue_label(void);
