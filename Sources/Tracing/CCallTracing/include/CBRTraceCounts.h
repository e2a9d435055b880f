// Counts of calls in transit to another process: numbers in a file that the counting process maps,
// and a text that says what they count.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The file begins with this. The numbers follow in sets, each of `size`, and then the text.
struct cbr_trace_counts {
  uint64_t magic;
  uint64_t size;
  uint64_t sets;
};

static const uint64_t CBR_TRACE_COUNTS_MAGIC = 0x3143757254524243;  // "CBRTruC1"

// Creates a file of counts in a directory, under a name that ends with `.counts` as soon as it is
// complete, and maps it: `numbers` are zeroes that stay mapped until the process ends. As of a
// stream, the mapping tells whether a process can still write to it (CBRTraceStream.h). Returns 0
// or an errno.
int cbr_trace_counts_create(const char *directory, uint64_t size, uint64_t sets, const char *text,
                            uint64_t *_Nullable *_Nonnull numbers);

#pragma clang assume_nonnull end
