// The start of the bridge between key-value observing and Observation, when its image is loaded;
// and what it remembers of classes.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Whether the calling thread is the process's main thread.
bool cbr_is_main_thread(void);

// A word that no other thread has while the calling thread lives; never 0.
static inline uintptr_t cbr_this_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

enum cbr_class_kind { CBR_CLASS_UNKNOWN, CBR_CLASS_TRACKED, CBR_CLASS_OTHER };

// The classes that were asked about last: each word has the address of one, and its kind in the
// lowest bits.
extern _Atomic uintptr_t cbr_known_classes[256];

// Classes are aligned to eight bytes, and larger than sixteen.
static inline _Atomic uintptr_t *cbr_place_of_class(uintptr_t type) {
  return &cbr_known_classes[(type ^ type >> 12) / 16 % 256];
}

// The kind of a class; unknown unless it was remembered.
static inline enum cbr_class_kind cbr_known_class(uintptr_t type) {
  uintptr_t word = atomic_load_explicit(cbr_place_of_class(type), memory_order_relaxed);
  return (word & ~(uintptr_t)7) == type ? (enum cbr_class_kind)(word & 7) : CBR_CLASS_UNKNOWN;
}

// Remembers the kind of a class until another one needs its place.
static inline void cbr_remember_class(uintptr_t type, enum cbr_class_kind kind) {
  atomic_store_explicit(cbr_place_of_class(type), type | kind, memory_order_relaxed);
}
