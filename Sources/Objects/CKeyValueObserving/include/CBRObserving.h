// A thread's state of observing: its tracker of what getters read, its transaction, its waiting
// calls of observers, and its calls in progress.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A call of an observer in progress; `outer` is the call outside of it on the same thread.
struct cbr_observer_call {
  const void *_Nullable observer;
  struct cbr_observer_call *_Nullable outer;
};

struct cbr_observing_thread {
  void *_Nullable tracker;
  void *_Nullable transaction;
  // For notifications whose observers are called in order: the calls that wait for the end of the
  // outermost; the number in progress, each within a call of the one before; and the place of the
  // innermost among the calls that wait.
  void *_Nullable waiting;
  size_t notifications, place;
  struct cbr_observer_call *_Nullable call;
};

// The state of the calling thread.
struct cbr_observing_thread *cbr_observing_here(void);

// The number of trackers, of transactions and of notifications in order in progress on all threads.
extern _Atomic(unsigned) cbr_observing_modes;

// Whether no thread tracks dependencies, is in a transaction, or notifies observers in order. A
// thread always sees its own modes.
static inline bool cbr_observing_is_plain(void) {
  return atomic_load_explicit(&cbr_observing_modes, memory_order_relaxed) == 0;
}

// Counts a mode that the calling thread begins: a tracker, a transaction or a notification.
void cbr_observing_begin_mode(void);

// Ends the count of `cbr_observing_begin_mode`.
void cbr_observing_end_mode(void);

// Waits for `cbr_observing_wake`, at most a millisecond.
void cbr_observing_wait(void);

// Wakes all threads in `cbr_observing_wait`.
void cbr_observing_wake(void);

// Writes the return addresses of the calls in progress on the thread, the innermost first, and
// returns their number. The unwinder's calls of hooked functions run no handlers.
size_t cbr_observing_callers(const void *_Nullable *_Nonnull addresses, size_t limit);

// The address of the function that the call before a return address names; NULL if the call goes
// through a pointer.
const void *_Nullable cbr_called_function(const void *return_address);

// An access of a variable that the Swift runtime checks for exclusivity. It must stay where it is,
// and ends on the thread, or in the task, in which it began.
struct cbr_access {
  void *_Nullable words[3];
};

// Begins a modification of the variable at an address; the program ends if another access of it is
// in progress. The compiler emits the same calls for accesses that it cannot check itself.
static inline void cbr_access_begin(struct cbr_access *access, void *address) {
  extern void swift_beginAccess(void *, struct cbr_access *, uintptr_t, const void *_Nullable);
  const uintptr_t modify = 1, tracked = 0x20;
  swift_beginAccess(address, access, modify | tracked, NULL);
}

static inline void cbr_access_end(struct cbr_access *access) {
  extern void swift_endAccess(struct cbr_access *);
  swift_endAccess(access);
}

// Whether `size` bytes at an address are inside of an object of a Swift class.
static inline bool cbr_is_in_object(const void *object, uintptr_t address, size_t size) {
  // The metadata of a class, as the runtime lays it out on platforms without Objective-C.
  struct class_metadata {
    uintptr_t kind;
    const void *_Nullable superclass;
    uint32_t flags, instance_address_point, instance_size;
  };
  const struct class_metadata *class = *(const struct class_metadata *const *)object;
  uintptr_t offset = address - (uintptr_t)object;
  return offset < class->instance_size && size <= class->instance_size - offset;
}

// The Swift runtime's witness table for the arguments of a key-path component that are only the
// types of generic code; a component with values as arguments has a table of its own.
static inline const void *cbr_generic_key_path_arguments(void) {
  extern const void *_Nullable const swift_keyPathGenericWitnessTable[];
  return swift_keyPathGenericWitnessTable;
}

// Calls the getter of a computed key-path component without arguments, by its address: it takes the
// address of the object, or of the structure, and initialises the memory for the value.
static inline void cbr_call_key_path_getter(uintptr_t getter, const void *base, void *value) {
  typedef __attribute__((swiftcall)) void (*getter_function)(
      __attribute__((swift_indirect_result)) void *, const void *, const void *_Nullable, size_t);
  ((getter_function)getter)(value, base, NULL, 0);
}

#pragma clang assume_nonnull end
