// The build ID of an image's file, as the linker noted it.
#pragma once

#include <stdint.h>

#include "CBRImages.h"

#pragma clang assume_nonnull begin

// The first eight bytes of the build ID of a loaded image; 0 if it has none.
//
// Allocates nothing and takes no lock.
uint64_t cbr_build_id_of_image(const struct cbr_image *image);

// The first eight bytes of the build ID of a file; 0 if it has none, or cannot be read.
uint64_t cbr_build_id_of_file(const char *path);

#pragma clang assume_nonnull end
