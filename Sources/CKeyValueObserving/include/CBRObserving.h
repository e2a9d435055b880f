// What a thread is in the middle of while it observes: a tracker of what getters read, a
// transaction, the calls of observers.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

// A call of an observer that is under way on this thread.
struct cbr_observer_call {
  const void *_Nullable observer;
  struct cbr_observer_call *_Nullable outer;
};

struct cbr_observing_thread {
  void *_Nullable tracker;
  void *_Nullable transaction;
  struct cbr_observer_call *_Nullable call;
};

// The calling thread's.
struct cbr_observing_thread *cbr_observing_here(void);

// How many trackers and transactions are under way, on all threads.
extern _Atomic(unsigned) cbr_observing_modes;

// Whether no thread tracks dependencies or is in a transaction. The calling thread always sees its own.
static inline bool cbr_observing_is_plain(void) {
  return atomic_load_explicit(&cbr_observing_modes, memory_order_relaxed) == 0;
}

// Counts a tracker or a transaction of the calling thread.
void cbr_observing_begin_mode(void);

// Takes it from the count.
void cbr_observing_end_mode(void);

// Waits for `cbr_observing_wake`, or a moment.
void cbr_observing_wait(void);

// Wakes all threads in `cbr_observing_wait`.
void cbr_observing_wake(void);

// The Swift runtime's functions for the arguments of a key path's component that are only the types of
// generic code; other arguments have functions of the user's.
static inline const void *cbr_generic_key_path_arguments(void) {
  extern const void *_Nullable const swift_keyPathGenericWitnessTable[];
  return swift_keyPathGenericWitnessTable;
}

#pragma clang assume_nonnull end
