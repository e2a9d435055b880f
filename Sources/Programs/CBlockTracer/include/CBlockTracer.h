// The entry point of the preloaded library, and the calls of Swift functions that it counts.
#pragma once

#include <stdint.h>

#include "CBRTimedCalls.h"

#pragma clang assume_nonnull begin

// Called once when the library is loaded; implemented in Swift.
void blockTracerStart(void);

// Where the search for a function's entry begins in a table: entries are variables of two words.
static inline uint64_t cbr_place_of_entry(const void *entry) { return (uintptr_t)entry >> 4; }

// Counts the calls of functions from now on, until the process ends. Called once, with memory that
// stays.
//
// `table` has the functions' entries, each at the first free place from its own on. Its size is a
// power of two; at most half of its places are in use, and the rest are NULL. `timed` has, at the
// same places, the functions that are timed, and NULL for others; it is NULL if none is timed. At
// `zeroes` are `size` counters for each set of threads. A count is the sum over all sets.
void cbr_count_swift_calls(const void *_Nullable const *_Nonnull table,
                           const struct cbr_timed_function *_Nullable const *_Nullable timed,
                           uint64_t size, uint64_t *zeroes, uint64_t set_count);

#pragma clang assume_nonnull end
