// References that keep a shared library loaded while an address in it is in use.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// Adds a reference to the library that contains `address`, and returns it for `cbr_give_up_image`.
// NULL if the loader finds no such library, or if the address is in the program itself, which is
// never unloaded. Calls the loader.
//
// The library must be loaded when this is called.
void *_Nullable cbr_keep_image(const void *address);

// Releases a reference that `cbr_keep_image` returned. If it was the last one, the library is
// unloaded, and its destructors run here.
void cbr_give_up_image(void *image);

// How many libraries have been unloaded so far: while this is unchanged, so is the code at an
// address.
uint64_t cbr_unload_count(void);

#pragma clang assume_nonnull end
