// The C strings among the words of a traced call, whose bytes a stream gets without an allocation.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

enum {
  CBR_TRACE_STRINGS = 7,
  // The most bytes of a string that are copied.
  CBR_TRACE_STRING_LIMIT = 256,
  // Set in the note of a string that ends there.
  CBR_TRACE_IS_TERMINATED = 1 << 16,
};

// The strings that were found. A stream has the note, and then the bytes, of each.
struct cbr_trace_strings {
  uint32_t count;
  // The size of all in a stream, in bytes.
  uint32_t size;
  // How many bytes are copied, and whether the string ends there.
  uint32_t notes[CBR_TRACE_STRINGS];
  const void *_Nullable places[CBR_TRACE_STRINGS];
};

// Adds the strings whose addresses are the words with the bits of `mask`, at most seven.
void cbr_trace_find_strings(struct cbr_trace_strings *strings, const void *words, uint8_t mask);

// Stores notes and bytes, and returns the address behind them.
void *cbr_trace_copy_strings(const struct cbr_trace_strings *strings, void *target);

#pragma clang assume_nonnull end
