#if defined(__x86_64__)
#include "../OpaquePlaces.h"

#include <cpuid.h>
#include <stddef.h>

#include "CBROpaqueCalls.h"
#include "CBRReadableMemory.h"

// Whether the system saves vectors of more than 16 bytes, and they fit into the save area.
bool cbr_opaque_xsaves __attribute__((visibility("hidden")));

static bool has_xsave(void) {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) return false;
  // AVX, and the upper halves of AVX-512's registers: their sizes and offsets in the save area.
  for (unsigned component = 2; component <= 6; component += 4)
    if (!__get_cpuid_count(0xD, component, &eax, &ebx, &ecx, &edx) ||
        eax + ebx > CBR_OPAQUE_VECTORS)
      return false;
  return true;
}

const void *cbr_opaque_code(void) {
  __atomic_store_n(&cbr_opaque_xsaves, has_xsave(), __ATOMIC_RELAXED);
  return (const void *)cbr_enter_opaque;
}

// The place holds `cbr_opaque_return` while the original runs, and the caller's return address just
// before and after that, where a signal may interrupt the call. The place of a call that was left
// may hold either address until the stack is reused. Sanitizers would report reads of the stacks of
// calls that may be gone.
__attribute__((no_sanitize("address", "thread"))) bool cbr_opaque_place_is_left(
    const void *const *place, const void *return_address, const void *const *later, bool is_own) {
  (void)later;
  if (!is_own && !cbr_is_readable(place)) return true;
  return *place != (const void *)cbr_opaque_return && *place != return_address;
}
#endif
