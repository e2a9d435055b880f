// Hazard pointers: each thread publishes the objects that its calls use, so that none is freed
// during a call.
//
// A call protects an object by a plain store to a hazard pointer of its own thread. A thread that
// retires an object, or waits for its calls, makes the stores of all threads visible
// (membarrier(2)) and then scans all hazard pointers. So calls execute no locked instruction, and
// removal costs a system call. (M. Michael, "Hazard Pointers", IEEE TPDS 15(6), 2004.)
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRCallEntry.h"
#include "CBRThisThread.h"

#pragma clang assume_nonnull begin

// The mark of a hazard pointer that protects several objects for whose calls threads wait.
enum { CBR_HAZARD_SEVERAL = 1 };

// One hazard pointer. An odd value of `running` marks the end of a segment.
struct cbr_hazard {
  // The object that a call is running, and thereby protects.
  uintptr_t running;
  // An object that is protected, though no call is running it any more.
  uintptr_t protecting;
  // The mark: the object whose calls another thread waits for, or waited for; `CBR_HAZARD_SEVERAL`
  // if there are several. It is read when this call, or a handler in it, ends.
  uintptr_t awaited;
  // An address on the stack that the call runs on.
  uintptr_t stack;
  // The next in a list of the record (HazardRecords.h).
  struct cbr_hazard *_Nullable next;
};

struct cbr_thread {
  // The thread's first free hazard pointer. At the end of a segment, and in disorder
  // (HazardRecords.h), it is one whose `running` is odd, which cannot be taken.
  struct cbr_hazard *top;
};

extern struct cbr_thread cbr_no_thread __attribute__((visibility("hidden")));

// Whether plain stores suffice. They do not if the kernel has no membarrier: then calls order their
// stores by fences. Nor do they under ThreadSanitizer, which must see the stores: there they are
// made out of line. The variable is false until a thread registers, waits, or calls
// `cbr_hazards_can_be_plain`.
extern bool cbr_hazards_are_plain __attribute__((visibility("hidden")));

// Whether plain stores suffice; determines it if necessary.
bool cbr_hazards_can_be_plain(void);

// Gives this thread a record, which it must not have.
struct cbr_thread *cbr_thread_register(void);

// Finds or makes a free hazard pointer for this thread, whose `top` cannot be taken; registers the
// thread if it has no record.
struct cbr_hazard *cbr_thread_make_hazard(const void *stack);

static inline struct cbr_thread *cbr_thread_current(void) {
  struct cbr_thread *thread = cbr_thread_of_now();
  return __builtin_expect(thread != &cbr_no_thread, 1) ? thread : cbr_thread_register();
}

// Do what `cbr_hazard_store` and `cbr_hazard_confirm` do, out of line and with fences. They
// preserve most registers, so that their callers save none for them.
__attribute__((preserve_most)) void cbr_hazard_store_ordered(uintptr_t *word, const void *_Nullable what);
__attribute__((preserve_most)) bool cbr_hazard_confirm_ordered(
    struct cbr_hazard *hazard, const void *_Nullable what, const void *_Nullable const *_Nonnull slot);

// Takes this thread's first free hazard pointer, NULL if that cannot be taken.
static inline struct cbr_hazard *_Nullable cbr_hazard_take_ready(void) {
  struct cbr_thread *thread = cbr_thread_of_now();
  struct cbr_hazard *hazard = thread->top;
  // A thread without a record has one that cannot be taken.
  if (__builtin_expect(__atomic_load_n(&hazard->running, __ATOMIC_RELAXED) & 1, 0)) return NULL;
  thread->top = hazard + 1;
  hazard->stack = (uintptr_t)__builtin_frame_address(0);
  return hazard;
}

// Takes a free hazard pointer of this thread.
static inline struct cbr_hazard *cbr_hazard_take(void) {
  struct cbr_hazard *hazard = cbr_hazard_take_ready();
  if (hazard) return hazard;
  const void *stack = __builtin_frame_address(0);
  hazard = cbr_thread_make_hazard(stack);
  hazard->stack = (uintptr_t)stack;
  return hazard;
}

// Stores a word of a hazard pointer before any later load of this thread. If the store is plain,
// the membarrier of the thread that reads the word makes that order. The store releases, because
// what the call used comes before the store that ends its protection.
static inline void cbr_hazard_store(uintptr_t *word, const void *_Nullable what) {
  if (__builtin_expect(!cbr_hazards_are_plain, 0)) return cbr_hazard_store_ordered(word, what);
  __atomic_store_n(word, (uintptr_t)what, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Says that the object which a slot had is running, and returns whether the slot still has it. The
// load that decides this precedes what is loaded from the object: the slot may have come back to
// the same address with a new object there.
static inline bool cbr_hazard_confirm(struct cbr_hazard *hazard, const void *_Nullable what,
                                      const void *_Nullable const *_Nonnull slot) {
  if (__builtin_expect(!cbr_hazards_are_plain, 0))
    return cbr_hazard_confirm_ordered(hazard, what, slot);
  cbr_hazard_store(&hazard->running, what ? what : hazard);
  return __builtin_expect(__atomic_load_n(slot, __ATOMIC_ACQUIRE) == what, 1);
}

// Notifies threads that wait for an object which the hazard pointer protected only briefly, before
// the object that it protects now: the end of the call would notify them too late.
void cbr_hazard_notify_brief(struct cbr_hazard *hazard);

// Loads the slot again and protects its object, because the slot changed after it was first loaded.
const void *_Nullable cbr_hazard_protect_again(struct cbr_hazard *hazard,
                                               const void *_Nullable const *_Nonnull slot);

// Clears a hazard pointer that is not the thread's latest: see HazardRecords.h.
//
// Returns what `cbr_hazard_clear` returns.
bool cbr_hazard_clear_out_of_order(struct cbr_hazard *hazard)
    __attribute__((visibility("hidden")));

// Protects an object that the caller runs, until `cbr_hazard_clear`. The caller must know that
// nothing retires the object before this returns.
static inline struct cbr_hazard *cbr_hazard_protect(const void *what) {
  struct cbr_hazard *hazard = cbr_hazard_take();
  cbr_hazard_store(&hazard->running, what);
  return hazard;
}

// Loads an object from a slot and protects it until `cbr_hazard_clear`. If the slot is empty, the
// hazard pointer protects itself.
static inline struct cbr_hazard *cbr_hazard_protect_loaded(
    const void *_Nullable const *_Nonnull slot) {
  struct cbr_hazard *hazard = cbr_hazard_take();
  if (!cbr_hazard_confirm(hazard, __atomic_load_n(slot, __ATOMIC_RELAXED), slot))
    cbr_hazard_protect_again(hazard, slot);
  return hazard;
}

// Protects the receiver of an entry.
static inline struct cbr_hazard *cbr_hazard_protect_receiver(struct cbr_entry *entry) {
  return cbr_hazard_protect_loaded(cbr_entry_receiver(entry));
}

// The object that a hazard pointer protects, NULL if the slot was empty.
static inline const void *_Nullable cbr_hazard_protected(const struct cbr_hazard *hazard) {
  return hazard->running == (uintptr_t)hazard ? NULL : (const void *)hazard->running;
}

enum cbr_hazard_end { CBR_HAZARD_IS_CLEAR, CBR_HAZARD_IS_AWAITED, CBR_HAZARD_IS_NOT_LATEST };

// Clears a hazard pointer if it is the thread's latest.
//
// Returns `CBR_HAZARD_IS_AWAITED` if a thread may be waiting for that: then call
// `HazardPointers.cleared`.
static inline enum cbr_hazard_end cbr_hazard_clear_latest(struct cbr_hazard *hazard) {
  struct cbr_thread *thread = cbr_thread_of_now();
  if (__builtin_expect(thread->top != hazard + 1, 0)) return CBR_HAZARD_IS_NOT_LATEST;
  __atomic_store_n(&hazard->protecting, 0, __ATOMIC_RELEASE);
  thread->top = hazard;
  cbr_hazard_store(&hazard->running, NULL);
  // The mark may be loaded before the store is visible: the thread that marks makes a membarrier,
  // and then counts again.
  return __builtin_expect(__atomic_load_n(&hazard->awaited, __ATOMIC_RELAXED) != 0, 0)
             ? CBR_HAZARD_IS_AWAITED
             : CBR_HAZARD_IS_CLEAR;
}

// Clears a hazard pointer and, if its call is on the thread's own stack, the later ones there,
// whose calls longjmp has left.
//
// Returns whether a thread may be waiting for that: then call `HazardPointers.cleared`.
static inline bool cbr_hazard_clear(struct cbr_hazard *hazard) {
  enum cbr_hazard_end end = cbr_hazard_clear_latest(hazard);
  return end == CBR_HAZARD_IS_NOT_LATEST ? cbr_hazard_clear_out_of_order(hazard)
                                         : end == CBR_HAZARD_IS_AWAITED;
}

// The next functions serve a call that runs handlers while it protects the object that has them:
// its hazard pointer is idle between them.

// Whether a hazard pointer is idle: it says of no object that it is running.
static inline bool cbr_hazard_is_idle(const struct cbr_hazard *hazard) {
  return __atomic_load_n(&hazard->running, __ATOMIC_RELAXED) == (uintptr_t)hazard;
}

// Makes a hazard pointer idle, and returns its mark, which may be loaded before the store is
// visible, as in `cbr_hazard_clear`.
static inline uintptr_t cbr_hazard_make_idle(struct cbr_hazard *hazard) {
  // The word is not zero, because the call is in progress.
  cbr_hazard_store(&hazard->running, hazard);
  return __atomic_load_n(&hazard->awaited, __ATOMIC_RELAXED);
}

// Keeps the object that is running protected. This store is visible before the next one: a scan
// that finds the object not running finds it protected.
static inline void cbr_hazard_keep(struct cbr_hazard *hazard) {
  __atomic_store_n(&hazard->protecting, __atomic_load_n(&hazard->running, __ATOMIC_RELAXED),
                   __ATOMIC_RELEASE);
}

// Makes a hazard pointer idle whose object was running, and which goes on protecting the object.
//
// Returns what `cbr_hazard_clear` returns.
static inline bool cbr_hazard_protect_only(struct cbr_hazard *hazard) {
  cbr_hazard_keep(hazard);
  return __builtin_expect(cbr_hazard_make_idle(hazard) != 0, 0);
}

// Loads an object from a slot, and says that it is running, by a hazard pointer that has only
// protected an object and goes on protecting it, until a handler makes it idle. NULL if the slot
// was empty.
static inline const void *_Nullable cbr_hazard_run_loaded(
    struct cbr_hazard *hazard, const void *_Nullable const *_Nonnull slot) {
  cbr_hazard_keep(hazard);
  const void *_Nullable what = __atomic_load_n(slot, __ATOMIC_RELAXED);
  return cbr_hazard_confirm(hazard, what, slot) ? what : cbr_hazard_protect_again(hazard, slot);
}

// Says that an object is running, by an idle hazard pointer, which goes on protecting the object
// that it has.
static inline void cbr_hazard_run(struct cbr_hazard *hazard, const void *what) {
  cbr_hazard_store(&hazard->running, what);
}

// Makes a hazard pointer idle again. Returns what `cbr_hazard_clear` returns.
static inline bool cbr_hazard_stop(struct cbr_hazard *hazard) {
  uintptr_t awaited = cbr_hazard_make_idle(hazard);
  // Threads that wait for the protected object wait for the end of the call.
  return __builtin_expect(awaited != 0, 0) &&
         awaited != __atomic_load_n(&hazard->protecting, __ATOMIC_RELAXED);
}

// Loads and replaces slots in the order that `cbr_hazard_protect_loaded` relies on.
const void *_Nullable cbr_slot_load(const void *_Nullable const *_Nonnull slot);
const void *_Nullable cbr_slot_exchange(const void *_Nullable *_Nonnull slot,
                                        const void *_Nullable what);

// Clears the hazard pointers that the thread has taken since its first free one was `top`, because
// longjmp has left their calls; in disorder, those of calls at lower addresses of its own stack
// than `stack`. NULL for `top` stands for the time before the thread had a record.
void cbr_hazards_return_to(struct cbr_hazard *_Nullable top, const void *stack);

// Whether the fork that made this process ended calls for whose ends threads waited; true once.
bool cbr_hazards_have_ended_by_fork(void);

// Removes the mark of a hazard pointer, and returns it: the object that a thread waits for,
// `CBR_HAZARD_SEVERAL`, or NULL if there is no mark.
const void *_Nullable cbr_hazard_take_awaited(struct cbr_hazard *hazard);

// Counts the hazard pointers of all threads that protect `what`, which no new call can load; if
// `is_running`, only those whose calls run it. On each thread that has any, the outermost is
// marked, so that its end is reported.
size_t cbr_hazards_await(const void *what, bool is_running);

// Counts the calls of this thread that run `what`.
size_t cbr_hazards_count_here(const void *what);

#pragma clang assume_nonnull end
