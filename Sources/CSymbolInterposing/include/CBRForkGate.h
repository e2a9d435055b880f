// What no fork may come in the middle of: the child has one thread, and what others were doing stays
// half done there, with their locks taken.
#pragma once

#include <stdbool.h>

// Enters, with any number of other threads; forks wait until all have left. Not to be nested.
//
// False where the caller must do without: in a child whose fork could not wait, and where a fork does
// not end, for it waits for what the caller has.
bool cbr_fork_gate_enter(void);

void cbr_fork_gate_leave(void);
