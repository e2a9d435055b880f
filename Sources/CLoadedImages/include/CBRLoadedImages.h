// Shared libraries that stay loaded while an address inside of them is in use.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// Keeps the library that holds an address loaded until that is given up. NULL where no library holds
// the address: the program itself is never unloaded. It calls the loader.
//
// The library must be loaded when this is called.
void *_Nullable cbr_keep_image(const void *address);

// Ends what `cbr_keep_image` began. If nobody else keeps the library, its destructors run here.
void cbr_give_up_image(void *image);

// How often libraries have been unloaded so far: while that is the same, so is the code at an address.
uint64_t cbr_unload_count(void);

#pragma clang assume_nonnull end
