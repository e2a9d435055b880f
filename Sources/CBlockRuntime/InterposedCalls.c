#include "CBRInterposedCalls.h"

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

void cbr_begin_passing(void) { cbr_interposing.passes++; }

void cbr_end_passing(void) { cbr_interposing.passes--; }

uintptr_t cbr_exchange_passing(uintptr_t passes) {
  uintptr_t before = cbr_interposing.passes;
  cbr_interposing.passes = passes;
  return before;
}

const void *cbr_interposed_caller(void) { return cbr_interposing.caller; }

void cbr_set_interposed_caller(const void *caller) { cbr_interposing.caller = caller; }
