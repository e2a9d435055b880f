#if defined(__x86_64__)
#include "CBRVForkedCalls.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRReentrancy.h"
#include "CBRHazardPointers.h"

int cbr_vfork(void);

const void *cbr_vfork_code(void) { return (const void *)cbr_vfork; }

// Where the parent goes on after its child: `thread`, `top` and `ignored` are what they were before, and
// `outcome` is what the kernel says. Returns what `vfork` does.
int cbr_vfork_returned(const struct cbr_thread *thread, struct cbr_hazard *top, uintptr_t ignored,
                       int outcome) {
  cbr_reentrancy.ignored = ignored;
  // `vfork` leaps here: above this frame and the return address is its caller's.
  const void *const *frame = __builtin_frame_address(0);
  cbr_hazards_return_to(thread == &cbr_no_thread ? NULL : top, frame + 2);
  if (outcome >= 0) return outcome;
  errno = -outcome;
  return -1;
}
#endif
