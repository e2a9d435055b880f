// The memory of a switch.
#pragma once

#include <stdatomic.h>

#include "CBRTraceSwitch.h"

struct cbr_trace_switch {
  // How often it was turned, and in the lowest bits its position.
  _Atomic uint32_t word;
  _Atomic uint32_t answers;
  _Atomic uint32_t failures;
  _Atomic uint32_t listeners;
};

enum { POSITION_BITS = 2 };

static inline uint32_t cbr_position_in(uint32_t word) { return word & ((1u << POSITION_BITS) - 1); }

// Waits until the word is another one, a signal or a wake-up came, or the time has passed; 0 for no
// limit.
void cbr_trace_switch_wait(struct cbr_trace_switch *control, uint32_t word, uint32_t milliseconds)
    __attribute__((visibility("hidden")));

// Wakes the threads that wait, and returns how many.
uint32_t cbr_trace_switch_wake(struct cbr_trace_switch *control) __attribute__((visibility("hidden")));
