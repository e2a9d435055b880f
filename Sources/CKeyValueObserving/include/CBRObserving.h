// A thread's state of observing: its tracker of what getters read, its transaction, and its calls of
// observers in progress.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

// A call of an observer in progress; `outer` is the next outer one on the same thread.
struct cbr_observer_call {
  const void *_Nullable observer;
  struct cbr_observer_call *_Nullable outer;
};

struct cbr_observing_thread {
  void *_Nullable tracker;
  void *_Nullable transaction;
  struct cbr_observer_call *_Nullable call;
};

// The state of the calling thread.
struct cbr_observing_thread *cbr_observing_here(void);

// The number of trackers and transactions in progress on all threads.
extern _Atomic(unsigned) cbr_observing_modes;

// Whether no thread tracks dependencies or is in a transaction. A thread always sees its own.
static inline bool cbr_observing_is_plain(void) {
  return atomic_load_explicit(&cbr_observing_modes, memory_order_relaxed) == 0;
}

// Counts a tracker or a transaction that the calling thread begins.
void cbr_observing_begin_mode(void);

// Ends the count of `cbr_observing_begin_mode`.
void cbr_observing_end_mode(void);

// Waits for `cbr_observing_wake`, at most a millisecond.
void cbr_observing_wait(void);

// Wakes all threads in `cbr_observing_wait`.
void cbr_observing_wake(void);

// The Swift runtime's witness table for the arguments of a key-path component that are only the types
// of generic code; a component with values as arguments has a table of its own.
static inline const void *cbr_generic_key_path_arguments(void) {
  extern const void *_Nullable const swift_keyPathGenericWitnessTable[];
  return swift_keyPathGenericWitnessTable;
}

#pragma clang assume_nonnull end
