// The code that made a call, without the libraries through which it was made.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// Gets memory for what is learnt of return addresses, which is never freed. False if there is none.
bool cbr_prepare_callers(void);

// Forgets what is known of return addresses: other code may be there.
void cbr_forget_callers(void);

// Finds the caller of the hooked function whose handler is running on the thread, and writes its
// return address and those of the calls around it, the innermost first. Calls by the tracer are
// left out; at the beginning also those by libdispatch, its Swift library and the C library; those
// by Foundation and Swift's library unless nothing else made them; and those by functions that
// create tasks for their callers.
//
// Returns the number of addresses, at most `count`; 0 unless `cbr_prepare_callers` succeeded. The
// first handler of the hooked function must call it, before it calls another hooked function.
// Allocates no memory.
size_t cbr_find_callers(const void *_Nullable *_Nonnull addresses, size_t count);

#pragma clang assume_nonnull end
