// The places in code from which a call was made.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

// Writes the return addresses of the calls around the one that has the memory, the innermost first,
// and returns their number, at most `limit`; 0 if the call was not made on this stack. Where code
// that is not an entry made the memory, the first address is in that code.
//
// Takes no lock and allocates no memory but what the unwinder itself does when it is first used.
size_t cbr_find_call_sites(const void *memory, const void *_Nullable *_Nonnull addresses,
                           size_t limit);

#pragma clang assume_nonnull end
