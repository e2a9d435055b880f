// The callers of a traced call, without memory of the allocator.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { CBR_TRACE_CALLERS = 32 };

// The numbers in a stream of the functions around a call, the innermost first.
struct cbr_trace_callers {
  uint32_t count;
  uint32_t numbers[CBR_TRACE_CALLERS];
};

static inline void cbr_trace_add_caller(struct cbr_trace_callers *callers, uint32_t number) {
  if (number != 0 && callers->count < CBR_TRACE_CALLERS) callers->numbers[callers->count++] = number;
}

// Stores how many callers there are, in a byte, and their numbers; returns the address behind them.
static inline void *cbr_trace_copy_callers(const struct cbr_trace_callers *callers, void *target) {
  char *next = target;
  *next++ = (char)callers->count;
  size_t size = callers->count * sizeof *callers->numbers;
  __builtin_memcpy(next, callers->numbers, size);
  return next + size;
}

#pragma clang assume_nonnull end
