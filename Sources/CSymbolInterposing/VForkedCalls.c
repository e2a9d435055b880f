#if defined(__x86_64__)
#include "CBRVForkedCalls.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRReentrancy.h"
#include "CBRHazardPointers.h"

int cbr_vfork(void);

const void *cbr_vfork_code(void) { return (const void *)cbr_vfork; }

// The parent continues here after its child: `thread`, `top` and `ignored` are the values from before the
// call, and `outcome` is the kernel's result. Returns the result of `vfork`.
int cbr_vfork_returned(const struct cbr_thread *thread, struct cbr_hazard *top, uintptr_t ignored,
                       int outcome) {
  cbr_reentrancy.ignored = ignored;
  // `vfork` jumped here, so the stack above this frame and the return address is the caller's.
  const void *const *frame = __builtin_frame_address(0);
  cbr_hazards_return_to(thread == &cbr_no_thread ? NULL : top, frame + 2);
  if (outcome >= 0) return outcome;
  errno = -outcome;
  return -1;
}
#endif
