// What the processor decides about calls in progress whose signature is unknown. See CBROpaqueCalls.h.
#pragma once

#include <stdbool.h>

// The code that a stub jumps to.
void cbr_enter_opaque(void) __attribute__((visibility("hidden")));
// Where originals return to.
void cbr_opaque_return(void) __attribute__((visibility("hidden")));

// Whether a call has been left whose place is at a lower address of the thread's own stack than a call that
// begins, or on another stack.
bool cbr_opaque_place_is_left(const void *const *place, bool is_own)
    __attribute__((visibility("hidden")));
