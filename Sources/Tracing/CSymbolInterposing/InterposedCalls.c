#include "CBRCallMemory.h"
#include "CBRInterposedCalls.h"

#include <stddef.h>

_Static_assert(offsetof(struct cbr_interposed, hooked) == CBR_INTERPOSED_HOOKED, "assembly");
_Static_assert(offsetof(struct cbr_interposed, original) == CBR_INTERPOSED_ORIGINAL, "assembly");

void cbr_lead_interposed(struct cbr_interposed *interposed, const void *hooked) {
  __atomic_store_n(&interposed->hooked, hooked, __ATOMIC_RELEASE);
}

#if CBR_HAS_CALL_PLANS
void cbr_enter_interposed(void);

const void *cbr_interposed_code(void) { return (const void *)cbr_enter_interposed; }
#else
const void *cbr_interposed_code(void) { return NULL; }
#endif
