#include "CBRReentrancy.h"

#include <errno.h>
#include <stddef.h>

_Thread_local struct cbr_reentrancy cbr_reentrancy;

_Static_assert(offsetof(struct cbr_reentrancy, caller) == CBR_REENTRANCY_CALLER, "assembly");
_Static_assert(offsetof(struct cbr_reentrancy, ignored) == CBR_REENTRANCY_IGNORED ||
                   sizeof(void *) != 8,
               "assembly");

static void keep_error(void) {
  cbr_reentrancy.error = errno;
  cbr_reentrancy.has_error = true;
}

void cbr_end_handling(void) {
  if (cbr_reentrancy.has_error) errno = cbr_reentrancy.error;
  // An outer handler restores the `errno` that this call leaves.
  if (--cbr_reentrancy.ignored > 0) keep_error();
}

void cbr_end_original(struct cbr_handling before) {
  keep_error();
  cbr_reentrancy.ignored = before.ignored;
  cbr_reentrancy.caller = before.caller;
}

const void *cbr_current_caller(void) { return cbr_reentrancy.caller; }
