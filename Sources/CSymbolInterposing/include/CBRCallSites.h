// Where a thread is: the calls that it is inside of, and the queue that it runs.
#pragma once

#include <stddef.h>

// Fills in the addresses that the thread's calls return to, the innermost first; returns their number.
size_t cbr_call_sites(void *_Nullable *_Nonnull addresses, size_t count);

// The label of the queue that the thread runs; NULL where the program has no libdispatch.
const char *_Nullable cbr_queue_label(void);
