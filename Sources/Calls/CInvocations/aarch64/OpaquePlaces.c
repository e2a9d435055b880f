#if defined(__aarch64__)
#include "../OpaquePlaces.h"

#include "CBROpaqueCalls.h"
#include "CBRReadableMemory.h"
#include "CBRThreadStack.h"

const void *cbr_opaque_code(void) { return (const void *)cbr_enter_opaque; }

// The return address is not on the stack. On the thread's own stack all calls in progress are above
// one that begins there; a call on another stack may be in progress while that is mapped.
bool cbr_opaque_place_is_left(const void *const *place, const void *return_address,
                              const void *const *later, bool is_own) {
  (void)return_address;
  return is_own ? cbr_stack_is_own(later) && place < later : !cbr_is_readable(place);
}
#endif
