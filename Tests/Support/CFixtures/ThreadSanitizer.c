#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// Swift's Mutex takes its fast path in compiled code, which ThreadSanitizer sees, and its slow path
// in the toolchain's libswiftSynchronization, which was built without it: a lock that was waited for
// looks as if it were neither given up nor taken. These functions stand before the slow paths and
// say what they do.
#define SLOW_LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define SLOW_UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef SWIFT void lock_slow(uint32_t thread, SELF void *mutex);
typedef SWIFT void unlock_slow(SELF void *mutex);

static void *next(const char *symbol) {
  void *found = dlsym(RTLD_NEXT, symbol);
  if (!found) abort();
  return found;
}

SWIFT void fixture_lock_slow(uint32_t thread, SELF void *mutex) __asm__(SLOW_LOCK);
SWIFT void fixture_lock_slow(uint32_t thread, SELF void *mutex) {
  ((lock_slow *)next(SLOW_LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void fixture_unlock_slow(SELF void *mutex) __asm__(SLOW_UNLOCK);
SWIFT void fixture_unlock_slow(SELF void *mutex) {
  __tsan_release(mutex);
  ((unlock_slow *)next(SLOW_UNLOCK))(mutex);
}
#endif
#endif
