// Slots, one for each class and selector, which hold the current implementation.
#pragma once

#include <stdbool.h>

#include "CBRHazardPointers.h"

#pragma clang assume_nonnull begin

// A slot is never freed: code that has found one may use it at any time.
struct cbr_method_slot {
  uintptr_t class_identity;
  const void *selector;
  // The implementation that a message runs. Calls protect it (`CBRHazardPointers.h`), unless it is
  // marked with `CBR_METHOD_IS_PERMANENT`, because it is never freed. What is marked with
  // `CBR_METHOD_IS_OF_OBJECT` says that instances may have their own (`CBRObjectSlots.h`).
  const void *_Nullable current;
  // The implementation inside of the hooks of single instances.
  const void *_Nullable of_class;
  // The implementation inside of the class's hooks; NULL if the method never was hooked.
  const void *_Nullable inner;
  // The address of the `CalledMethod` whose body instances of the class inherit; 0 if there is none.
  uintptr_t called;
};

enum { CBR_METHOD_CACHE_SIZE = 4096, CBR_METHOD_IS_PERMANENT = 1 };

// The sign: one comparison tells what is protected from this and from nothing.
#define CBR_METHOD_IS_OF_OBJECT 0x8000000000000000UL
#define CBR_METHOD_MARKS 0x8000000000000001UL

extern struct cbr_method_slot *_Nullable cbr_method_cache[CBR_METHOD_CACHE_SIZE];

static inline struct cbr_method_slot *_Nullable *_Nonnull cbr_method_cache_place(
    uintptr_t class_identity, const void *selector) {
  uintptr_t mixed = (class_identity >> 4) + class_identity + ((uintptr_t)selector >> 4);
  return &cbr_method_cache[mixed % CBR_METHOD_CACHE_SIZE];
}

// The slot of a class and a selector, NULL if the cache does not have it. Acquired, because the slot was
// complete before it was stored; slots are never freed.
static inline struct cbr_method_slot *_Nullable cbr_method_cached(uintptr_t class_identity,
                                                                  const void *selector) {
  struct cbr_method_slot *slot = __atomic_load_n(
      cbr_method_cache_place(class_identity, selector), __ATOMIC_ACQUIRE);
  return slot && slot->class_identity == class_identity && slot->selector == selector ? slot : NULL;
}

static inline void cbr_method_cache_slot(struct cbr_method_slot *slot) {
  __atomic_store_n(cbr_method_cache_place(slot->class_identity, slot->selector), slot,
                   __ATOMIC_RELEASE);
}

// The implementation that a message is about to run, NULL if there is none, and the hazard pointer that
// protects it; NULL if it is permanent, or there is none.
struct cbr_method_entered {
  struct cbr_hazard *_Nullable hazard;
  const void *_Nullable what;
};

// Do the same where a hazard pointer is not ready, or where the place has changed meanwhile.
struct cbr_method_entered cbr_method_enter_first(const void *_Nullable const *_Nonnull place);
struct cbr_method_entered cbr_method_enter_again(struct cbr_hazard *hazard,
                                                 const void *_Nullable const *_Nonnull place);

static inline __attribute__((always_inline)) struct cbr_method_entered cbr_method_enter_protected(
    const void *_Nullable const *_Nonnull place, const void *what) {
  struct cbr_hazard *hazard = cbr_hazard_take_ready();
  if (!hazard) return cbr_method_enter_first(place);
  if (!cbr_hazard_confirm(hazard, what, place)) return cbr_method_enter_again(hazard, place);
  return (struct cbr_method_entered){hazard, what};
}

// Loads the implementation from a place of a slot, and protects it. Acquired: a permanent one needs no hazard
// pointer, for it is never freed.
static inline struct cbr_method_entered cbr_method_enter(
    const void *_Nullable const *_Nonnull place) {
  uintptr_t what = (uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (__builtin_expect(what & CBR_METHOD_IS_PERMANENT, 1))
    return (struct cbr_method_entered){NULL, (const void *)(what - CBR_METHOD_IS_PERMANENT)};
  // Nothing is to be protected where there is no implementation.
  if (!what) return (struct cbr_method_entered){NULL, NULL};
  return cbr_method_enter_protected(place, (const void *)what);
}

// The implementation of one object, for a slot that has what is `marked` so; without the mark, this is
// returned if the implementation must be looked up.
struct cbr_method_entered cbr_method_enter_own(const struct cbr_method_slot *slot,
                                               const void *_Nullable object, const void *marked);

// The same for a message to an object, which its sender retains.
static inline struct cbr_method_entered cbr_method_enter_for(const struct cbr_method_slot *slot,
                                                             const void *_Nullable object) {
  uintptr_t what = (uintptr_t)__atomic_load_n(&slot->current, __ATOMIC_ACQUIRE);
  if (__builtin_expect(what & CBR_METHOD_IS_PERMANENT, 1))
    return (struct cbr_method_entered){NULL, (const void *)(what - CBR_METHOD_IS_PERMANENT)};
  if ((intptr_t)what <= 0)
    return what ? cbr_method_enter_own(slot, object, (const void *)what)
                : (struct cbr_method_entered){NULL, NULL};
  return cbr_method_enter_protected(&slot->current, (const void *)what);
}

static inline const void *_Nullable const *_Nonnull cbr_method_of_class(
    const struct cbr_method_slot *slot) {
  return &slot->of_class;
}

static inline const void *_Nullable const *_Nonnull cbr_method_inner(
    const struct cbr_method_slot *slot) {
  return &slot->inner;
}

static inline const void *_Nullable cbr_method_set_current(struct cbr_method_slot *slot,
                                                           const void *_Nullable what) {
  return cbr_slot_exchange(&slot->current, what);
}

static inline const void *_Nullable cbr_method_set_of_class(struct cbr_method_slot *slot,
                                                            const void *_Nullable what) {
  return cbr_slot_exchange(&slot->of_class, what);
}

static inline const void *_Nullable cbr_method_set_inner(struct cbr_method_slot *slot,
                                                         const void *_Nullable what) {
  return cbr_slot_exchange(&slot->inner, what);
}

static inline uintptr_t cbr_method_called(const struct cbr_method_slot *slot) {
  return __atomic_load_n(&slot->called, __ATOMIC_RELAXED);
}

static inline void cbr_method_set_called(struct cbr_method_slot *slot, uintptr_t called) {
  __atomic_store_n(&slot->called, called, __ATOMIC_RELAXED);
}

// Where the body of a called method leaves its answer or error, for the case that a hook throws
// afterwards.
struct cbr_kept_answer {
  uintptr_t called;
  void *_Nullable place;
};

enum { CBR_OUTSIDE_OF_MESSAGES = 1, CBR_OUTSIDE_OF_CALLS = 1 };

// The state of the messages in progress on one thread.
struct cbr_message_thread {
  // The error of a method which C code has called, an object that is retained; NULL if there is none;
  // `CBR_OUTSIDE_OF_MESSAGES` if no message is in progress that takes it.
  void *_Nullable error;
  // The number of nested messages that are being forwarded.
  size_t forwarding_depth;
  // The typed hook whose conditions have admitted the call that is about to reach it, else NULL.
  const void *_Nullable admitted;
  // The answer that the innermost Swift call of a hooked method keeps.
  struct cbr_kept_answer kept;
};

extern _Thread_local struct cbr_message_thread cbr_message_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct cbr_message_thread *cbr_message_here(void) {
  return &cbr_message_this_thread;
}

static inline struct cbr_kept_answer *cbr_kept_answer_here(void) {
  return &cbr_message_this_thread.kept;
}

static inline void *_Nullable *_Nonnull cbr_message_error_place(void) {
  return &cbr_message_this_thread.error;
}

#pragma clang assume_nonnull end
