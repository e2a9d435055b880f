// Methods of Swift classes: their slots, and the conversion of their calls to calls of C functions and back.
//
// A method of simple types takes its arguments as a C function does, except for the receiver, which is in
// r13 (x86-64) or x20 (AArch64), and for Bool, whose upper bits are undefined. Two pieces of assembly turn its
// calls into calls of a C function with the receiver as the first argument, and back. Both are entered by
// stubs (CBRCallStubs.h), which lead to a `cbr_swift_method`.
#pragma once

#define CBR_METHOD_TARGET 8
#define CBR_METHOD_MASKS 16
#define CBR_METHOD_RESULT_MASK 56

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRCallMemory.h"

#pragma clang assume_nonnull begin

struct cbr_swift_method {
  // The stub jumps here: one of the two functions below.
  const void *code;
  // The function to call: a C function for `cbr_enter_swift_method`, a Swift method for the other.
  const void *target;
  // The significant bits of the integer arguments after the receiver, in order.
  uint64_t masks[5];
  // The significant bits of a result in the integer register.
  uint64_t result_mask;
};

_Static_assert(__builtin_offsetof(struct cbr_swift_method, target) == CBR_METHOD_TARGET &&
                   __builtin_offsetof(struct cbr_swift_method, masks) == CBR_METHOD_MASKS &&
                   __builtin_offsetof(struct cbr_swift_method, result_mask) ==
                       CBR_METHOD_RESULT_MASK,
               "assembly");

#if CBR_HAS_CALL_PLANS
void cbr_enter_swift_method(void);
void cbr_call_swift_method(void);

static inline const void *_Nullable cbr_code_of_swift_method(bool is_entered) {
  return is_entered ? (const void *)cbr_enter_swift_method : (const void *)cbr_call_swift_method;
}
#else
static inline const void *_Nullable cbr_code_of_swift_method(bool is_entered) { return NULL; }
#endif

// Reads the slot of a method in a class's metadata, which other threads may replace at any time.
static inline const void *_Nullable cbr_method_slot_load(const void *slot) {
  return __atomic_load_n((const void *_Nullable const *)slot, __ATOMIC_ACQUIRE);
}

void cbr_method_slot_store(void *slot, const void *code);

#pragma clang assume_nonnull end
#endif
