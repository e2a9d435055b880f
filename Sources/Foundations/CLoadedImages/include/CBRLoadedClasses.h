// The Swift classes that loaded images list.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The metadata of a class that is not generic, from its access function, which completes it first.
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

// Calls `body` with the sections of each image until it returns false. libswiftCore exports the
// function, but no Swift module declares it.
void swift_enumerateAllMetadataSections(
    bool (*body)(const struct cbr_metadata_sections *sections, void *context), void *context);

#pragma clang assume_nonnull end
