// The stack that the system allocated for a thread, as opposed to stacks that the program
// allocated, such as a coroutine's.
#pragma once

#include <stdbool.h>

// Whether an address is on the calling thread's own stack. False if that stack's bounds are
// unknown.
__attribute__((visibility("hidden"))) bool cbr_stack_is_own(const void *address);

// Removes the entry of a call that ends from a thread's list of calls in progress. The entries are
// local variables of those calls; each begins with the address of the next outer one, and
// `innermost` is the address of the list's head. `ending` need not be the first: calls on another
// stack of the thread may have begun since, and continue. Entries of calls that longjmp abandoned
// have lower addresses on the thread's own stack than `ending`: they are removed with it, and not
// read.
__attribute__((visibility("hidden"))) void cbr_stack_list_remove(void *innermost, void *ending);
