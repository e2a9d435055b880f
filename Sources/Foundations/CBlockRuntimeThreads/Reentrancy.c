#include "CBRReentrancy.h"

#include <errno.h>
#include <stddef.h>

_Thread_local struct cbr_reentrancy cbr_reentrancy;

_Static_assert(offsetof(struct cbr_reentrancy, caller) == CBR_REENTRANCY_CALLER, "assembly");
_Static_assert(offsetof(struct cbr_reentrancy, stack) == 2 * sizeof(void *) &&
                   offsetof(struct cbr_reentrancy, frame) == 3 * sizeof(void *),
               "assembly");
_Static_assert(offsetof(struct cbr_reentrancy, ignored) == CBR_REENTRANCY_IGNORED ||
                   sizeof(void *) != 8,
               "assembly");

int *cbr_find_error_number(struct cbr_reentrancy *state) { return state->error_number = &errno; }

const void *cbr_current_caller(void) {
  // An open handler may have made other calls since.
  const struct cbr_open_handler *open = cbr_reentrancy.open;
  return open && open->call == cbr_reentrancy.call ? open->caller : cbr_reentrancy.caller;
}

bool cbr_find_open_handler(uintptr_t function, const void *call) {
  for (const struct cbr_open_handler *open = cbr_reentrancy.open; open; open = open->outer) {
    if (open->function == function && open->call != call && !open->lifted) return true;
  }
  return false;
}

__attribute__((preserve_most)) void cbr_lift_open_handlers(struct cbr_reentrancy *state,
                                                           const void *call, intptr_t difference) {
  for (struct cbr_open_handler *open = state->open; open && open->call == call; open = open->outer)
    open->lifted += (uintptr_t)difference;
}

const void *cbr_current_stack(void) { return cbr_reentrancy.stack; }

const void *cbr_current_self(void) { return cbr_reentrancy.self; }

int cbr_call_error_number(const void *call) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  return state->call == call && state->error ? (int)state->error : *cbr_error_number(state);
}

void cbr_set_call_error_number(const void *call, int number) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  if (state->call == call) state->error = CBR_HANDLED_ERROR(number);
  *cbr_error_number(state) = number;
}

void cbr_keep_error_number(const void *call) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  if (state->call == call) state->error = CBR_HANDLED_ERROR(state->error);
}
