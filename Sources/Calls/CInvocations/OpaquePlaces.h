// The parts of opaque calls that differ between processors. See CBROpaqueCalls.h.
#pragma once

#include <stdbool.h>

// The code that a stub jumps to.
void cbr_enter_opaque(void) __attribute__((visibility("hidden")));
// Where originals return to.
void cbr_opaque_return(void) __attribute__((visibility("hidden")));

// Whether a call at `place`, with its caller's return address, has been left when another begins at
// `later`. `is_own` says whether the place is on the thread's own stack.
bool cbr_opaque_place_is_left(const void *const *place, const void *return_address,
                              const void *const *later, bool is_own)
    __attribute__((visibility("hidden")));
