#include "CBRBlockLiteral.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CBR_NO_THREAD_SANITIZER __attribute__((no_sanitize("thread"), noinline))
#endif
#endif
#ifndef CBR_NO_THREAD_SANITIZER
#define CBR_NO_THREAD_SANITIZER
#endif

// Compiled code reads the invoke pointer with a plain load at every call, so ThreadSanitizer would
// call every replacement a race. An aligned pointer store is atomic on every platform that has
// blocks, and the fence publishes what the new function needs; ThreadSanitizer instruments atomic
// operations even where it is told not to look, hence the volatile store.
CBR_NO_THREAD_SANITIZER
void cbr_block_set_invoke(const void *block, const void *invoke) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  *(const void *volatile *)&((struct cbr_block *)block)->invoke = invoke;
}
