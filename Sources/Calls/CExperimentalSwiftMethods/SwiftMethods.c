#include "CBRSwiftMethods.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NOT_SEEN __attribute__((no_sanitize("thread"), noinline))
#endif
#endif
#ifndef NOT_SEEN
#define NOT_SEEN
#endif

// Compiled code loads a class's method with a plain load at every call, so ThreadSanitizer would report every
// replacement as a race. An aligned pointer store is atomic on every platform that has blocks. The store is
// volatile rather than atomic, because ThreadSanitizer instruments atomic operations even in functions that
// it is told to skip. `ProtectedMemory`, through which slots are written, publishes what the new function
// needs.
NOT_SEEN void cbr_method_slot_store(void *slot, const void *code) {
  *(const void *volatile *)slot = code;
}
