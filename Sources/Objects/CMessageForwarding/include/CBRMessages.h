// The slots of messages, one for each class and selector, which hold the current implementations.
#pragma once

#include <stdbool.h>

#include "CBRHazardPointers.h"

#pragma clang assume_nonnull begin

// A slot is never freed: code that has found one may use it at any time.
struct cbr_method_slot {
  uintptr_t class_identity;
  const void *selector;
  // The implementation that a message runs. Calls protect it (`CBRHazardPointers.h`), unless the
  // mark `CBR_METHOD_IS_PERMANENT` says that it is never freed. The mark `CBR_METHOD_IS_OF_OBJECT`
  // says that instances may have their own implementations (`CBRObjectSlots.h`).
  const void *_Nullable current;
  // The implementation inside of the hooks of single instances.
  const void *_Nullable of_class;
  // The implementation inside of the class's hooks; NULL if the method never was hooked.
  const void *_Nullable inner;
  // The address of the `CalledMethod` whose body instances of the class inherit; 0 if there is
  // none.
  uintptr_t called;
};

enum { CBR_METHOD_CACHE_SIZE = 4096, CBR_METHOD_IS_PERMANENT = 1 };

// The sign bit: one signed comparison tells an address that must be protected from a marked one and
// from NULL.
#define CBR_METHOD_IS_OF_OBJECT 0x8000000000000000UL
#define CBR_METHOD_MARKS 0x8000000000000001UL

extern struct cbr_method_slot *_Nullable cbr_method_cache[CBR_METHOD_CACHE_SIZE];

static inline struct cbr_method_slot *_Nullable *_Nonnull cbr_method_cache_place(
    uintptr_t class_identity, const void *selector) {
  uintptr_t mixed = (class_identity >> 4) + class_identity + ((uintptr_t)selector >> 4);
  return &cbr_method_cache[mixed % CBR_METHOD_CACHE_SIZE];
}

// The slot of a class and a selector; NULL if the cache does not have it. The load acquires,
// because the slot was complete before it was stored; slots are never freed.
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

// The implementation that a message is about to run, NULL if there is none, and the hazard pointer
// that protects it, NULL if it needs none because it is permanent, or NULL itself.
struct cbr_method_entered {
  struct cbr_hazard *_Nullable hazard;
  const void *_Nullable what;
};

// The slow ways of `cbr_method_enter`: the first if no hazard pointer is ready, the second if the
// place has changed.
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

// Loads the implementation from a place of a slot, and protects it. The load acquires for permanent
// implementations, which need no hazard pointer.
static inline struct cbr_method_entered cbr_method_enter(
    const void *_Nullable const *_Nonnull place) {
  uintptr_t what = (uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (__builtin_expect(what & CBR_METHOD_IS_PERMANENT, 1))
    return (struct cbr_method_entered){NULL, (const void *)(what - CBR_METHOD_IS_PERMANENT)};
  if (!what) return (struct cbr_method_entered){NULL, NULL};
  return cbr_method_enter_protected(place, (const void *)what);
}

// Finds the implementation of one object in a slot that is marked `CBR_METHOD_IS_OF_OBJECT`.
// Returns `marked` without its mark if the implementation must be looked up.
struct cbr_method_entered cbr_method_enter_own(const struct cbr_method_slot *slot,
                                               const void *_Nullable object, const void *marked);

// Loads and protects the implementation that a message to an object runs, whose sender retains it.
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

// The places of a slot's implementations.
static inline const void *_Nullable *_Nonnull cbr_method_current(struct cbr_method_slot *slot) {
  return &slot->current;
}

static inline const void *_Nullable *_Nonnull cbr_method_of_class(struct cbr_method_slot *slot) {
  return &slot->of_class;
}

static inline const void *_Nullable *_Nonnull cbr_method_inner(struct cbr_method_slot *slot) {
  return &slot->inner;
}

static inline uintptr_t cbr_method_called(const struct cbr_method_slot *slot) {
  return __atomic_load_n(&slot->called, __ATOMIC_RELAXED);
}

static inline void cbr_method_set_called(struct cbr_method_slot *slot, uintptr_t called) {
  __atomic_store_n(&slot->called, called, __ATOMIC_RELAXED);
}

#pragma clang assume_nonnull end
