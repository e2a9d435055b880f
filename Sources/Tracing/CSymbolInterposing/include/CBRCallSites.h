// The calls in progress on a thread.
#pragma once

#include <stddef.h>

// Writes the return addresses of the thread's calls in progress, the innermost first; returns their
// number.
size_t cbr_call_sites(void *_Nullable *_Nonnull addresses, size_t count);
