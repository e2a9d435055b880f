// A store that ThreadSanitizer is not shown.
//
// Compiled code reads a block's invoke pointer, or a class's method, with a plain load at every call,
// so ThreadSanitizer would call every replacement a race. An aligned pointer store is atomic on every
// platform that has blocks, and the fence publishes what the new function needs; ThreadSanitizer
// instruments atomic operations even where it is told not to look, hence the volatile store.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CBR_NO_THREAD_SANITIZER __attribute__((no_sanitize("thread"), noinline))
#endif
#endif
#ifndef CBR_NO_THREAD_SANITIZER
#define CBR_NO_THREAD_SANITIZER
#endif

CBR_NO_THREAD_SANITIZER
static void cbr_store_unseen(const void **place, const void *value) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  *(const void *volatile *)place = value;
}
