#include "CBRInterposedCalls.h"

#include <errno.h>
#include <stddef.h>

_Thread_local struct cbr_interposing cbr_interposing;

#if defined(__x86_64__)
_Static_assert(offsetof(struct cbr_interposed, hooked) == CBR_INTERPOSED_HOOKED, "assembly");
_Static_assert(offsetof(struct cbr_interposed, original) == CBR_INTERPOSED_ORIGINAL, "assembly");
_Static_assert(offsetof(struct cbr_interposing, passes) == CBR_INTERPOSING_PASSES, "assembly");

void cbr_enter_interposed(void);

const void *cbr_interposed_code(void) { return (const void *)cbr_enter_interposed; }
#else
const void *cbr_interposed_code(void) { return NULL; }
#endif

uintptr_t cbr_exchange_passing(uintptr_t passes) {
  uintptr_t before = cbr_interposing.passes;
  cbr_interposing.passes = passes;
  return before;
}

void cbr_keep_error(void) {
  cbr_interposing.error = errno;
  cbr_interposing.has_error = true;
}

void cbr_begin_handling(bool is_instead) {
  cbr_keep_error();
  cbr_interposing.has_error = !is_instead;
  cbr_interposing.passes++;
}

void cbr_end_handling(void) {
  if (cbr_interposing.has_error) errno = cbr_interposing.error;
  // For a handler around this one it is what the call has left.
  if (--cbr_interposing.passes > 0) cbr_keep_error();
}

const void *cbr_interposed_caller(void) { return cbr_interposing.caller; }

void cbr_set_interposed_caller(const void *caller) { cbr_interposing.caller = caller; }
