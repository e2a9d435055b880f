// What each thread is inside of, so that nothing is freed under a call.
//
// A call announces what it uses by plain stores to memory of its own thread. Who wants to free or
// await something makes all threads' stores visible (membarrier(2)), and then reads what every
// thread has announced. So calls pay no locked instruction, and removal pays a system call.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRCallEntry.h"

#pragma clang assume_nonnull begin

// One place of a thread's stack of announcements. An odd value ends a segment.
struct cbr_running {
  // What is running, and is kept.
  uintptr_t what;
  // What is only kept.
  uintptr_t kept;
};

struct cbr_thread {
  // The first free place.
  struct cbr_running *top;
  // Whether somebody awaits the end of one of the thread's calls.
  int is_awaited;
};

// The thread's record. Of a thread without one it is a record without a free place.
extern _Thread_local struct cbr_thread *cbr_this_thread 
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern struct cbr_thread cbr_no_thread __attribute__((visibility("hidden")));

// False where the kernel has no membarrier: then calls order their stores themselves.
extern bool cbr_has_membarrier __attribute__((visibility("hidden")));

static inline bool cbr_running_needs_fence(void) {
  return __builtin_expect(!cbr_has_membarrier, 0);
}

// Slow paths.
struct cbr_thread *cbr_thread_register(void);
struct cbr_running *cbr_thread_next_segment(struct cbr_thread *thread);

static inline struct cbr_thread *cbr_thread_current(void) {
  struct cbr_thread *thread = cbr_this_thread;
  return __builtin_expect(thread != &cbr_no_thread, 1) ? thread : cbr_thread_register();
}

static inline struct cbr_running *cbr_running_place(struct cbr_thread *thread) {
  struct cbr_running *place = thread->top;
  if (__builtin_expect(__atomic_load_n(&place->what, __ATOMIC_RELAXED) & 1, 0))
    place = cbr_thread_next_segment(thread);
  thread->top = place + 1;
  return place;
}

// Stores an announcement before whatever is loaded next.
static inline void cbr_running_announce(uintptr_t *place, const void *what, bool is_fenced) {
  __atomic_store_n(place, (uintptr_t)what, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (is_fenced) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Announces that the thread is inside of `what`, until `cbr_running_end`.
static inline struct cbr_running *cbr_running_begin(struct cbr_thread *thread, const void *what) {
  struct cbr_running *place = cbr_running_place(thread);
  cbr_running_announce(&place->what, what, cbr_running_needs_fence());
  return place;
}

// Announces the receiver of an entry, which is not freed until `cbr_running_end`.
static inline const void *cbr_running_begin_receiver(struct cbr_running *place,
                                                     const struct cbr_entry *entry,
                                                     bool is_fenced) {
  for (;;) {
    const void *receiver = __atomic_load_n(&entry->receiver, __ATOMIC_ACQUIRE);
    cbr_running_announce(&place->what, receiver, is_fenced);
    if (__builtin_expect(__atomic_load_n(&entry->receiver, __ATOMIC_ACQUIRE) == receiver, 1))
      return receiver;
  }
}

// Ends the latest announcement that has not ended.
//
// True if somebody awaits the end of a call on this thread.
static inline bool cbr_running_end_call(struct cbr_thread *thread, struct cbr_running *place,
                                        bool is_fenced) {
  __atomic_store_n(&place->kept, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&place->what, 0, __ATOMIC_RELEASE);
  thread->top = place;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (is_fenced) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return __builtin_expect(__atomic_load_n(&thread->is_awaited, __ATOMIC_RELAXED) != 0, 0);
}

static inline bool cbr_running_end(struct cbr_thread *thread, struct cbr_running *place) {
  return cbr_running_end_call(thread, place, cbr_running_needs_fence());
}

// Announces what a slot holds, until `cbr_running_end`; NULL, and nothing is announced, if nothing.
static inline struct cbr_running *_Nullable cbr_running_begin_slot(
    struct cbr_thread *thread, const void *_Nullable *_Nonnull slot) {
  if (!__atomic_load_n(slot, __ATOMIC_RELAXED)) return NULL;
  struct cbr_running *place = cbr_running_place(thread);
  for (;;) {
    const void *_Nullable what = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    cbr_running_announce(&place->what, (const void *_Nonnull)what, cbr_running_needs_fence());
    if (__builtin_expect(__atomic_load_n(slot, __ATOMIC_ACQUIRE) == what, 1)) return place;
  }
}

static inline const void *_Nullable cbr_slot_load(const void *_Nullable *_Nonnull slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

static inline const void *_Nullable cbr_slot_exchange(const void *_Nullable *_Nonnull slot,
                                                      const void *_Nullable what) {
  return __atomic_exchange_n(slot, what, __ATOMIC_ACQ_REL);
}

// From now on `what`, which was announced there, is not running but only kept.
//
// True as for `cbr_running_end`.
static inline bool cbr_running_keep_only(struct cbr_thread *thread, struct cbr_running *place,
                                         const void *what) {
  __atomic_store_n(&place->kept, (uintptr_t)what, __ATOMIC_RELEASE);
  // Not 0, which would end the stack.
  cbr_running_announce(&place->what, place, cbr_running_needs_fence());
  return __atomic_load_n(&thread->is_awaited, __ATOMIC_RELAXED) != 0;
}

// Lets the thread's calls end unnoticed again.
static inline void cbr_running_clear_awaited(struct cbr_thread *thread) {
  __atomic_store_n(&thread->is_awaited, 0, __ATOMIC_RELAXED);
}

// How many calls of all threads keep `what`, which nobody can enter any more; or, if `is_running`,
// are running it. If there are any, the end of each of them will be noticed.
size_t cbr_running_await(const void *what, bool is_running);

// How many calls of this thread are running `what`.
size_t cbr_running_count_here(const void *what);

// Whether a call of this thread is inside of something that `matches`.
bool cbr_running_any_here(bool (*matches)(const void *what, void *context), void *context);

#pragma clang assume_nonnull end
