// Whether the image that makes a call is one of those that a filter selects.
//
// Asking takes no lock and allocates nothing: a signal's handler may make the call while its thread
// is in `malloc`.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_caller_images;

// Makes a filter that selects every image but `left_out`. `program` is the path that stands for the
// program, which has none for the loader. NULL if memory is exhausted.
struct cbr_caller_images *_Nullable cbr_caller_images_create(const char *program,
                                                             const char *_Nullable left_out);
void cbr_caller_images_free(struct cbr_caller_images *_Nullable images);

// Adds a shell pattern of paths or file names that are left out, or of the only ones that are
// selected. Returns false if memory is exhausted. The filter must not be in use yet.
bool cbr_caller_images_add(struct cbr_caller_images *images, const char *pattern, bool is_left_out);

// Whether code that called something is in a selected image. `loads` is another number after
// objects were loaded: then other code may be at the address.
bool cbr_caller_images_admit(struct cbr_caller_images *images, const void *caller, uint64_t loads);

#pragma clang assume_nonnull end
