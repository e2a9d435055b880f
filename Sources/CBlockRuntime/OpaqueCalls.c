#include "CBROpaqueCalls.h"

#include <stddef.h>
#include <stdlib.h>

#include "OwnCalls.h"

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

// Other stacks of the thread, such as coroutines', are expected to be farther off than this.
enum { NEAR = 1 << 16 };

static struct kept *last(void) { return &thread.calls[thread.count - 1]; }

static void abandon(void) {
  struct kept kept = *last();
  thread.count--;
  kept.entry->abandon(kept.entry->context, &kept.call);
}

// Keeps the return address at `place`. False where calls are nested too deeply: then the call passes.
bool cbr_opaque_begin(const struct cbr_opaque *entry, const void **place) {
  KEEP_ERRNO;
  // A call that was left by longjmp is over, and so are those inside of it: their places are below, or
  // the same. In a tail call the place is the same too, and leads back to the call around it.
  bool is_tail_call = *place == (const void *)cbr_opaque_return;
  while (thread.count && (uintptr_t)place - last()->place < NEAR &&
         !(is_tail_call && last()->place == (uintptr_t)place))
    abandon();
  if (thread.count == DEPTH) return false;
  thread.count++;
  *last() = (struct kept){.place = (uintptr_t)place, .return_address = *place, .entry = entry};
  entry->begin(entry->context, &last()->call);
  return true;
}

// Ends the call whose return address was at `place`, and gives that address back.
const void *cbr_opaque_end(const void **place) {
  KEEP_ERRNO;
  size_t index = thread.count;
  while (index > 0 && thread.calls[index - 1].place != (uintptr_t)place) index--;
  // Without the address there is no way on.
  if (index == 0) abort();
  while (thread.count > index && (uintptr_t)place - last()->place < NEAR) abandon();
  struct kept kept = thread.calls[index - 1];
  // What is left above is on other stacks.
  for (; index < thread.count; index++) thread.calls[index - 1] = thread.calls[index];
  thread.count--;
  kept.entry->end(kept.entry->context, &kept.call);
  return kept.return_address;
}
#else
const void *cbr_opaque_code(void) { return NULL; }
#endif
