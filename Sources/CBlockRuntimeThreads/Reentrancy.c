#include "CBRReentrancy.h"

#include <stddef.h>

_Thread_local struct cbr_reentrancy cbr_reentrancy;

_Static_assert(offsetof(struct cbr_reentrancy, caller) == CBR_REENTRANCY_CALLER, "assembly");
_Static_assert(offsetof(struct cbr_reentrancy, ignored) == CBR_REENTRANCY_IGNORED ||
                   sizeof(void *) != 8,
               "assembly");

void cbr_end_handling(struct cbr_handling around) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  if (state->has_error) errno = state->error;
  state->ignored = around.ignored;
  if (around.call && around.call == state->call) {
    // An outer handler of the same call restores the `errno` that this one leaves.
    state->error = errno;
    state->has_error = true;
  } else {
    state->error = around.error;
    state->has_error = around.has_error;
    state->call = around.call;
    state->outside = around.outside;
  }
}

void cbr_end_original(struct cbr_handling around) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  if (around.has_error) {
    state->error = errno;
    state->has_error = true;
  }
  state->caller = around.caller;
  state->ignored = around.ignored;
  state->call = around.call;
  state->outside = around.outside;
}

const void *cbr_current_caller(void) { return cbr_reentrancy.caller; }
