#include "CBRReentrancy.h"

#include <stddef.h>

_Thread_local struct cbr_reentrancy cbr_reentrancy;

_Static_assert(offsetof(struct cbr_reentrancy, caller) == CBR_REENTRANCY_CALLER, "assembly");
_Static_assert(offsetof(struct cbr_reentrancy, ignored) == CBR_REENTRANCY_IGNORED ||
                   sizeof(void *) != 8,
               "assembly");

void cbr_end_handling(const void *call, uintptr_t outside, cbr_handled_error error) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  cbr_handled_error own = state->error;
  state->ignored--;
  if (call && call == state->call) {
    // An outer handler of the same call restores the `errno` that this one leaves.
    state->error = own ? own : CBR_HANDLED_ERROR(errno);
  } else {
    state->error = error;
    state->call = call;
    state->outside = outside;
  }
  if (own) errno = (int)own;
}

void cbr_end_original(const void *caller, uintptr_t ignored, const void *call) {
  cbr_reentrancy.caller = caller;
  if (!call) return;
  cbr_reentrancy.ignored = ignored;
  cbr_reentrancy.call = call;
  cbr_reentrancy.error = CBR_HANDLED_ERROR(errno);
}

const void *cbr_current_caller(void) { return cbr_reentrancy.caller; }

const void *cbr_current_stack(void) { return cbr_reentrancy.stack; }
