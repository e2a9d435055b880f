// The record of the thread that executes this, which may be another one after a call than before: a
// coroutine's stack may have been moved to another thread. The compiler assumes that the address of
// a thread-local variable stays the same within a function, so the access is hidden from it.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_thread;

// `cbr_no_thread`, which has no free hazard pointer, until the thread has a record.
extern _Thread_local struct cbr_thread *cbr_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct cbr_thread *cbr_thread_of_now(void) {
#if defined(__x86_64__) && defined(__LP64__)
  struct cbr_thread *thread;
  __asm__ volatile("movq cbr_this_thread@gottpoff(%%rip), %0\n"
                   "movq %%fs:(%0), %0"
                   : "=r"(thread));
  return thread;
#elif defined(__aarch64__)
  uintptr_t base, offset;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(base));
  __asm__("adrp %0, :gottprel:cbr_this_thread\n"
          "ldr %0, [%0, :gottprel_lo12:cbr_this_thread]"
          : "=r"(offset));
  return *(struct cbr_thread **)(base + offset);
#else
  return cbr_this_thread;
#endif
}

#pragma clang assume_nonnull end
