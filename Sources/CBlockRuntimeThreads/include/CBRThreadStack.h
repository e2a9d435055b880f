// The stack that the system gave to a thread. What lies elsewhere belongs to a stack that the program
// made, such as a coroutine's.
#pragma once

#include <stdbool.h>

// Whether an address lies on the calling thread's own stack. False where its bounds are not known.
__attribute__((visibility("hidden"))) bool cbr_stack_is_own(const void *address);

// Lists of what a thread is inside of: variables of calls under way, the innermost first, each of which
// begins with the address of the one around it. Takes one out when its call ends, wherever it is:
// calls on another of the thread's stacks may have begun since, and go on. Those that longjmp has left
// are below it on the thread's own stack, and go with it, unread.
__attribute__((visibility("hidden"))) void cbr_stack_list_remove(void *innermost, void *ending);
