// Stores that ThreadSanitizer is not shown.
//
// Compiled code reads a block's invoke pointer, or a class's method, with a plain load at every call,
// so ThreadSanitizer would call every replacement a race. An aligned pointer store is atomic on every
// platform that has blocks, and the fence publishes what the new function needs; ThreadSanitizer
// instruments atomic operations even where it is told not to look, hence the volatile store.
#pragma once

#include <stdbool.h>

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

// Stores unless something else is there than was seen.
static bool cbr_exchange_unseen(const void **place, const void *seen, const void *value) {
#if defined(__x86_64__)
  bool is_stored;
  __asm__ volatile("lock cmpxchgq %[value], %[place]"
                   : "=@cce"(is_stored), [place] "+m"(*place), "+a"(seen)
                   : [value] "r"(value)
                   : "memory");
  return is_stored;
#elif defined(__aarch64__)
  const void *found;
  unsigned is_lost;
  __asm__ volatile("1: ldaxr %[found], [%[place]]\n"
                   "cmp %[found], %[seen]\n"
                   "b.ne 2f\n"
                   "stlxr %w[is_lost], %[value], [%[place]]\n"
                   "cbnz %w[is_lost], 1b\n"
                   "2: clrex"
                   : [found] "=&r"(found), [is_lost] "=&r"(is_lost)
                   : [place] "r"(place), [seen] "r"(seen), [value] "r"(value)
                   : "memory", "cc");
  return found == seen;
#else
  return __atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}
