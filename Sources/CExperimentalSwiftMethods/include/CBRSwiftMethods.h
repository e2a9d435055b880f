// Methods of Swift classes: their slots, and calls of them as calls of C functions.
//
// A method of simple types takes its arguments as a C function does, but for the receiver, which is
// in r13, and for Bool, whose upper bits are anything. So two pieces of assembly turn its calls into
// calls of a C function with the receiver as first argument, and back. Both are reached by stubs
// (CBRCallStubs.h) that have a `cbr_swift_method` in r11.
#pragma once

#define CBR_METHOD_TARGET 8
#define CBR_METHOD_MASKS 16
#define CBR_METHOD_RESULT_MASK 56

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_swift_method {
  // Where its stub jumps: one of the two below.
  const void *code;
  // What is called: a C function by `cbr_enter_swift_method`, a Swift method by the other.
  const void *target;
  // The bits that count of the integer arguments after the receiver, in order.
  uint64_t masks[5];
  // And of a result in rax.
  uint64_t result_mask;
};

_Static_assert(__builtin_offsetof(struct cbr_swift_method, target) == CBR_METHOD_TARGET &&
                   __builtin_offsetof(struct cbr_swift_method, masks) == CBR_METHOD_MASKS &&
                   __builtin_offsetof(struct cbr_swift_method, result_mask) ==
                       CBR_METHOD_RESULT_MASK,
               "assembly");

#if defined(__x86_64__)
void cbr_enter_swift_method(void);
void cbr_call_swift_method(void);

static inline const void *_Nullable cbr_code_of_swift_method(bool is_entered) {
  return is_entered ? (const void *)cbr_enter_swift_method : (const void *)cbr_call_swift_method;
}
#else
static inline const void *_Nullable cbr_code_of_swift_method(bool is_entered) { return NULL; }
#endif

// The slot of a method in a class's metadata, which callers read at any time.
static inline const void *_Nullable cbr_method_slot_load(const void *slot) {
  return __atomic_load_n((const void *_Nullable const *)slot, __ATOMIC_ACQUIRE);
}

void cbr_method_slot_store(void *slot, const void *code);

// The metadata of a class that is not generic, by its access function, which completes it first.
static inline const void *_Nullable cbr_class_metadata(const void *access_function) {
  struct response {
    const void *_Nullable metadata;
    size_t state;
  };
  typedef __attribute__((swiftcall)) struct response access(size_t request);
  return ((access *)access_function)(0).metadata;
}

// The part of a loaded image that lists its types, as relative references to their descriptors.
// Declared in swift/stdlib/public/SwiftShims/swift/shims/MetadataSections.h.
struct cbr_metadata_sections {
  uintptr_t version;
  const void *_Nullable base_address;
  void *_Nullable unused[2];
  struct {
    uintptr_t start;
    size_t length;
  } protocols, conformances, types;
};

// Calls `body` with the sections of each image until it returns false. libswiftCore exports it, and
// no Swift module declares it.
void swift_enumerateAllMetadataSections(
    bool (*body)(const struct cbr_metadata_sections *sections, void *context), void *context);

#pragma clang assume_nonnull end
#endif
