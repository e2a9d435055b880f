// What a message finds: for each class and selector a slot, which holds the implementation of the
// moment.
#pragma once

#include "CBRHazardPointers.h"

#pragma clang assume_nonnull begin

// Never freed: whoever found a slot may use it at any time.
struct cbr_method_slot {
  uintptr_t class_identity;
  const void *selector;
  // What a message to any instance enters. Calls protect it (`CBRHazardPointers.h`); what is never
  // freed has a mark (`CBR_METHOD_IS_PERMANENT`), and is entered as it is.
  const void *_Nullable current;
  // What it enters below the methods of single instances.
  const void *_Nullable of_class;
};

enum { CBR_METHOD_CACHE_SIZE = 4096, CBR_METHOD_IS_PERMANENT = 1 };

extern struct cbr_method_slot *_Nullable cbr_method_cache[CBR_METHOD_CACHE_SIZE];

static inline struct cbr_method_slot *_Nullable *_Nonnull cbr_method_cache_place(
    uintptr_t class_identity, const void *selector) {
  uintptr_t mixed = (class_identity >> 4) + class_identity + ((uintptr_t)selector >> 4);
  return &cbr_method_cache[mixed % CBR_METHOD_CACHE_SIZE];
}

// The slot, if it was looked up lately.
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

static inline const void *_Nullable const *_Nonnull cbr_method_current(
    const struct cbr_method_slot *slot) {
  return &slot->current;
}

// The implementation that a message is about to enter, and the hazard pointer that protects it: none for one
// that is permanent, or that was not looked up lately.
struct cbr_method_entered {
  struct cbr_hazard *_Nullable hazard;
  const void *_Nullable what;
};

struct cbr_method_entered cbr_method_enter_protected(const void *_Nullable const *_Nonnull place);

// Enters what a slot's place holds.
static inline struct cbr_method_entered cbr_method_enter(
    const void *_Nullable const *_Nonnull place) {
  uintptr_t what = (uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (__builtin_expect(what & CBR_METHOD_IS_PERMANENT, 1))
    return (struct cbr_method_entered){NULL, (const void *)(what - CBR_METHOD_IS_PERMANENT)};
  return cbr_method_enter_protected(place);
}

static inline const void *_Nullable const *_Nonnull cbr_method_of_class(
    const struct cbr_method_slot *slot) {
  return &slot->of_class;
}

static inline const void *_Nullable cbr_method_set_current(struct cbr_method_slot *slot,
                                                           const void *_Nullable what) {
  return cbr_slot_exchange(&slot->current, what);
}

static inline const void *_Nullable cbr_method_set_of_class(struct cbr_method_slot *slot,
                                                            const void *_Nullable what) {
  return cbr_slot_exchange(&slot->of_class, what);
}

// What the messages of one thread are in the middle of.
struct cbr_message_thread {
  // Where an error goes that a method throws behind C code.
  void *_Nullable error;
  // How many messages are being forwarded, one inside the other.
  size_t forwarding_depth;
};

struct cbr_message_thread *cbr_message_here(void);

#pragma clang assume_nonnull end
