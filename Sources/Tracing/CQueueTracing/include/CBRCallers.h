// The code that made a call, without the libraries through which it was made.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

struct cbr_address_table;

// What is known of calls in progress, by return address; NULL if memory is exhausted. It is never freed.
struct cbr_address_table *_Nullable cbr_callers_create(void);

// Whether the function that holds an address is left out, too, wherever it lies. It is asked once of most callers.
typedef bool (*cbr_leaves_out)(const void *code);

// Finds the caller of the hooked function whose handler is running on the thread, and writes its return
// address and those of the calls around it, the innermost first. Calls by the tracer are left out; at the
// beginning also those by libdispatch, its Swift library and the C library, those by Foundation unless nothing
// else made them, and those by functions that `leaves_out` names.
//
// Returns the number of addresses, at most `count`. The first handler of the hooked function must call it,
// before it calls another hooked function.
size_t cbr_find_callers(struct cbr_address_table *callers, const void *_Nullable *_Nonnull addresses,
                        size_t count, cbr_leaves_out leaves_out);

#pragma clang assume_nonnull end
