// The stack that the system gave to a thread. What lies elsewhere belongs to a stack that the program
// made, such as a coroutine's.
#pragma once

#include <stdbool.h>

// Whether an address lies on the calling thread's own stack. False where its bounds are not known.
__attribute__((visibility("hidden"))) bool cbr_stack_is_own(const void *address);
