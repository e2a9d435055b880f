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

// One place of a thread's announcements. An odd value ends a segment.
struct cbr_running {
  // What is running, and is kept.
  uintptr_t what;
  // What is only kept.
  uintptr_t kept;
  // What somebody awaits the end of here, or awaited. Only the call's own end looks at it.
  uintptr_t awaited;
  // An address on the stack that the call runs on.
  uintptr_t stack;
  // See RunningPlaces.h.
  struct cbr_running *_Nullable next;
};

struct cbr_thread {
  // The first free place; in disorder (RunningPlaces.h) none.
  struct cbr_running *top;
};

// The thread's record. Of a thread without one it is a record without a free place.
extern _Thread_local struct cbr_thread *cbr_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern struct cbr_thread cbr_no_thread __attribute__((visibility("hidden")));

// Whether plain stores do. They do not where the kernel has no membarrier, so that calls order their
// stores themselves, and under ThreadSanitizer, which must see them: there announcements are made out
// of line. True at the earliest once a thread has its record.
extern bool cbr_running_is_plain __attribute__((visibility("hidden")));

// Whether it is, or will be.
bool cbr_running_can_be_plain(void);

struct cbr_thread *cbr_thread_register(void);

// A place for a thread whose `top` is none.
struct cbr_running *cbr_thread_make_place(struct cbr_thread *thread, const void *stack);

static inline struct cbr_thread *cbr_thread_current(void) {
  struct cbr_thread *thread = cbr_this_thread;
  return __builtin_expect(thread != &cbr_no_thread, 1) ? thread : cbr_thread_register();
}

static inline struct cbr_running *cbr_running_place(void) {
  struct cbr_thread *thread = cbr_thread_current();
  struct cbr_running *place = thread->top;
  const void *stack = __builtin_frame_address(0);
  if (__builtin_expect(__atomic_load_n(&place->what, __ATOMIC_RELAXED) & 1, 0))
    place = cbr_thread_make_place(thread, stack);
  else
    thread->top = place + 1;
  place->stack = (uintptr_t)stack;
  return place;
}

// Stores an announcement before whatever is loaded next.
static inline void cbr_running_announce(uintptr_t *place, const void *_Nullable what,
                                        bool is_plain) {
  __atomic_store_n(place, (uintptr_t)what, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (!is_plain) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Tells those who await what was announced at a place for a moment, before this: the place has one mark,
// and the call's end may be far.
void cbr_running_tell_of_moment(struct cbr_running *place);

// Announces what a slot holds now, where it was announced before what the slot held then.
const void *_Nullable cbr_running_announce_again(struct cbr_running *place,
                                                 const void *_Nullable const *_Nonnull slot);

static inline struct cbr_running *cbr_running_begin_slot_by(
    const void *_Nullable const *_Nonnull slot, bool is_plain) {
  struct cbr_running *place = cbr_running_place();
  const void *_Nullable what = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  cbr_running_announce(&place->what, what ? what : place, is_plain);
  if (__builtin_expect(__atomic_load_n(slot, __ATOMIC_ACQUIRE) != what, 0))
    cbr_running_announce_again(place, slot);
  return place;
}

// Ends an announcement that is not the thread's latest: see RunningPlaces.h.
//
// True as for `cbr_running_end`.
bool cbr_running_end_out_of_order(struct cbr_running *place)
    __attribute__((visibility("hidden")));

static inline bool cbr_running_end_by(struct cbr_running *place, bool is_plain) {
  struct cbr_thread *thread = cbr_this_thread;
  if (__builtin_expect(thread->top != place + 1, 0)) return cbr_running_end_out_of_order(place);
  __atomic_store_n(&place->kept, 0, __ATOMIC_RELEASE);
  thread->top = place;
  cbr_running_announce(&place->what, NULL, is_plain);
  return __builtin_expect(__atomic_load_n(&place->awaited, __ATOMIC_RELAXED) != 0, 0);
}

// The same out of line.
struct cbr_running *cbr_running_begin_ordered(const void *what);
struct cbr_running *cbr_running_begin_slot_ordered(const void *_Nullable const *_Nonnull slot);
bool cbr_running_end_ordered(struct cbr_running *place);

// Announces that the thread is inside of `what`, until `cbr_running_end`.
static inline struct cbr_running *cbr_running_begin(const void *what) {
  if (__builtin_expect(!cbr_running_is_plain, 0)) return cbr_running_begin_ordered(what);
  struct cbr_running *place = cbr_running_place();
  cbr_running_announce(&place->what, what, true);
  return place;
}

// Announces what a slot holds, which is not freed until `cbr_running_end`; the place itself, if the
// slot is empty.
static inline struct cbr_running *cbr_running_begin_slot(
    const void *_Nullable const *_Nonnull slot) {
  if (__builtin_expect(!cbr_running_is_plain, 0)) return cbr_running_begin_slot_ordered(slot);
  return cbr_running_begin_slot_by(slot, true);
}

// What is announced at a place, NULL if the slot was empty.
static inline const void *_Nullable cbr_running_announced(const struct cbr_running *place) {
  return place->what == (uintptr_t)place ? NULL : (const void *)place->what;
}

// Ends an announcement, and on the thread's own stack those within it that longjmp has left.
//
// True if somebody awaits that: see `cbr_running_take_awaited`.
static inline bool cbr_running_end(struct cbr_running *place) {
  if (__builtin_expect(!cbr_running_is_plain, 0)) return cbr_running_end_ordered(place);
  return cbr_running_end_by(place, true);
}

// From now on `what`, which was announced there, is not running but only kept.
//
// True as for `cbr_running_end`.
bool cbr_running_keep_only(struct cbr_running *place, const void *what);

// Slots are loaded and replaced where they are announced.
const void *_Nullable cbr_slot_load(const void *_Nullable const *_Nonnull slot);
const void *_Nullable cbr_slot_exchange(const void *_Nullable *_Nonnull slot,
                                        const void *_Nullable what);

// Ends all that the thread has announced since its first free place was `top`, on the part of the stack
// below `stack`: what it was inside of is gone. NULL stands for the time when it had no record.
void cbr_running_return_to(struct cbr_running *_Nullable top, const void *stack);

// What somebody awaits the end of at a place; NULL if nobody does any more.
const void *_Nullable cbr_running_take_awaited(struct cbr_running *place);

// How many calls of all threads keep `what`, which nobody can enter any more; or, if `is_running`,
// are running it. On each thread where there are any, the end of the outermost will be noticed.
size_t cbr_running_await(const void *what, bool is_running);

// How many calls of this thread are running `what`.
size_t cbr_running_count_here(const void *what);

#pragma clang assume_nonnull end
