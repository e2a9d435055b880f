#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// Swift's Mutex takes its fast path in compiled code, which ThreadSanitizer sees, and its slow path
// in the toolchain's libswiftSynchronization, which was built without it: a lock that was waited for
// looks as if it were never taken. This function stands before that slow path and says it was.
#define SLOW_PATH "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"

typedef __attribute__((swiftcall)) void lock_slow(uint32_t,
                                                  __attribute__((swift_context)) void *);
void __tsan_acquire(void *address);

__attribute__((swiftcall)) void fixture_lock_slow(uint32_t thread,
                                                  __attribute__((swift_context)) void *mutex)
    __asm__(SLOW_PATH);

__attribute__((swiftcall)) void fixture_lock_slow(uint32_t thread,
                                                  __attribute__((swift_context)) void *mutex) {
  static lock_slow *original;
  lock_slow *known = __atomic_load_n(&original, __ATOMIC_RELAXED);
  if (!known) {
    known = (lock_slow *)dlsym(RTLD_NEXT, SLOW_PATH);
    if (!known) abort();
    __atomic_store_n(&original, known, __ATOMIC_RELAXED);
  }
  known(thread, mutex);
  __tsan_acquire(mutex);
}
#endif
#endif
