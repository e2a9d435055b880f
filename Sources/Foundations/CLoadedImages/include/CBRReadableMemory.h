// Asks the kernel whether memory can be read.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// True if the aligned 8-byte word that holds `address` can be read now.
bool cbr_is_readable(const void *address);

// The number of bytes before the first zero byte, `limit` bytes or the first unreadable word,
// whichever comes first; `*terminated` is true if it was the zero byte.
size_t cbr_readable_string_length(const void *string, size_t limit, bool *terminated);
