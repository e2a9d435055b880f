#if defined(__x86_64__)
#include "CBRInterposedCalls.h"

#include <stddef.h>

_Static_assert(offsetof(struct cbr_interposed, hooked) == CBR_INTERPOSED_HOOKED, "assembly");
_Static_assert(offsetof(struct cbr_interposed, original) == CBR_INTERPOSED_ORIGINAL, "assembly");

void cbr_enter_interposed(void);

const void *cbr_interposed_code(void) { return (const void *)cbr_enter_interposed; }
#endif
