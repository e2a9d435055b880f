// The slots of single objects that have hooks: they hold the class's implementations with these
// hooks.
#pragma once

#include "CBRMessages.h"
#include "CBRObjectDestruction.h"

#pragma clang assume_nonnull begin

// A slot is never freed: after the end of its object it serves another one.
struct cbr_object_slot {
  // The object; NULL if there is none. It is cleared before the object's deinit, so that a later
  // object at the address does not find the slot.
  const void *_Nullable object;
  const void *_Nullable selector;
  // The implementation that messages run, protected as in a class's slot; NULL if it must be looked
  // up.
  const void *_Nullable current;
  // The class's implementation that `current` encloses, as the class's slot has it.
  const void *_Nullable inside;
};

enum { CBR_OBJECT_CACHE_SIZE = 4096 };

extern struct cbr_object_slot *_Nullable cbr_object_cache[CBR_OBJECT_CACHE_SIZE];

static inline struct cbr_object_slot *_Nullable *_Nonnull cbr_object_cache_place(
    const void *_Nullable object, const void *selector) {
  uintptr_t mixed = ((uintptr_t)object >> 4) + ((uintptr_t)selector >> 4);
  return &cbr_object_cache[mixed % CBR_OBJECT_CACHE_SIZE];
}

// Whether an object may have a slot, because it has values; false only if it has no slot.
static inline bool cbr_object_may_have_slot(const void *_Nullable object) {
  // An object whose deinit is running has its hooks, and no mark.
  return cbr_dying_objects || cbr_object_is_marked(object);
}

// Stores the slot in the cache, where messages find it.
static inline void cbr_object_cache_slot(struct cbr_object_slot *slot) {
  __atomic_store_n(cbr_object_cache_place(slot->object, slot->selector), slot, __ATOMIC_RELEASE);
}

// Gives an empty slot to an object, or takes the slot back if `object` is NULL.
static inline void cbr_object_slot_give(struct cbr_object_slot *slot, const void *_Nullable object,
                                        const void *_Nullable selector) {
  __atomic_store_n(&slot->selector, selector, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->object, object, __ATOMIC_RELEASE);
}

// Fills an empty slot. A message that finds the implementation must find the class's inside of it
// too.
static inline void cbr_object_slot_fill(struct cbr_object_slot *slot, const void *current,
                                        const void *inside) {
  __atomic_store_n(&slot->inside, inside, __ATOMIC_RELEASE);
  cbr_slot_exchange(&slot->current, current);
}

// Empties a slot, and returns the implementation that it had.
static inline const void *_Nullable cbr_object_slot_empty(struct cbr_object_slot *slot) {
  return cbr_slot_exchange(&slot->current, NULL);
}

#pragma clang assume_nonnull end
