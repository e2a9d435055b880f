#include "CBRCallMemory.h"
#include "CBRVForkedCalls.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRReentrancy.h"
#include "CBRHazardPointers.h"

#if CBR_HAS_CALL_PLANS

int cbr_vfork(void);

const void *cbr_vfork_code(void) { return (const void *)cbr_vfork; }

// The parent continues here after its child: `thread`, `top` and `ignored` are the values from
// before the call, `outcome` is the kernel's result, and the stack from `stack` on is the caller's.
// Returns the result of `vfork`.
int cbr_vfork_returned(const struct cbr_thread *thread, struct cbr_hazard *top, uintptr_t ignored,
                       int outcome, const void *stack) {
  cbr_reentrancy.ignored = ignored;
  cbr_hazards_return_to(thread == &cbr_no_thread ? NULL : top, stack);
  if (outcome >= 0) return outcome;
  errno = -outcome;
  return -1;
}
#else
const void *cbr_vfork_code(void) { return NULL; }
#endif
