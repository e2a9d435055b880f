#include "CBROpaqueCalls.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

_Static_assert(offsetof(struct cbr_opaque, original) == CBR_OPAQUE_ORIGINAL, "assembly");

void cbr_enter_opaque(void);
// Where originals return to.
void cbr_opaque_return(void);

// Whether the system keeps vectors of more than 16 bytes, where they fit into the room for them.
bool cbr_opaque_xsaves __attribute__((visibility("hidden")));

static bool has_xsave(void) {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) return false;
  // AVX, and the upper halves of AVX-512: their sizes and places.
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

enum { DEPTH = 64 };

struct kept {
  // Where the return address was.
  uintptr_t place;
  const void *return_address;
  const struct cbr_opaque *entry;
  struct cbr_opaque_call call;
};

static _Thread_local struct {
  struct kept calls[DEPTH];
  size_t count;
} thread;

// Keeps the return address at `place`. False where calls are nested too deeply: then the call passes.
bool cbr_opaque_begin(const struct cbr_opaque *entry, const void **place) {
  // A call that was left by longjmp is over, and so are those inside of it: their places are below, or
  // the same. In a tail call the place is the same too, and leads back to the call around it.
  bool is_tail_call = *place == (const void *)cbr_opaque_return;
  while (thread.count && (is_tail_call ? thread.calls[thread.count - 1].place < (uintptr_t)place
                                       : thread.calls[thread.count - 1].place <= (uintptr_t)place))
    thread.count--;
  if (thread.count == DEPTH) return false;
  struct kept *kept = &thread.calls[thread.count++];
  *kept = (struct kept){.place = (uintptr_t)place, .return_address = *place, .entry = entry};
  entry->begin(entry->context, &kept->call);
  return true;
}

// Ends the call whose return address was at `place`, and gives that address back.
const void *cbr_opaque_end(const void **place) {
  while (thread.calls[thread.count - 1].place != (uintptr_t)place) thread.count--;
  struct kept kept = thread.calls[thread.count - 1];
  thread.count--;
  kept.entry->end(kept.entry->context, &kept.call);
  return kept.return_address;
}
#else
const void *cbr_opaque_code(void) { return NULL; }
#endif
