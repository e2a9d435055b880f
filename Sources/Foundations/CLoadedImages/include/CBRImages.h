// The loaded image that holds an address, found without the loader's lock: a library's constructor
// runs under that lock, and may wait for the thread that asks.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_image {
  // The number that the loader added to the addresses in the image's file.
  uintptr_t base;
  // The lowest address of the image.
  uintptr_t start;
  // The path as the loader has it, as long as the image is loaded: empty for the program.
  const char *path;
  // The image's dynamic section.
  const void *_Nullable dynamic;
};

// Finds the image that holds `address`; false if there is none. The C library's own look-up takes
// no lock since glibc 2.35; with older versions this takes the loader's lock.
bool cbr_find_image(const void *address, struct cbr_image *image);

// The path of the image that holds an address, as the loader has it: empty for the program, NULL if
// no image holds the address.
const char *_Nullable cbr_image_of(const void *address);

// The lowest address of the image that holds an address; NULL if no image does.
const void *_Nullable cbr_start_of_image(const void *address);

// Finds the dynamic symbol of an image that covers an address, as `dladdr` does. Returns its name,
// and sets `*start` to the address at which it begins; NULL if there is none.
const char *_Nullable cbr_find_dynamic_symbol(const struct cbr_image *image, const void *address,
                                              uintptr_t *start);

#pragma clang assume_nonnull end
