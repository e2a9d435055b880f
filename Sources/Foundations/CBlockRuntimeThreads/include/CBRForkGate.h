// Sections that no fork may interrupt: the child has one thread only, so what other threads were
// doing stays half done there, with their locks taken.
#pragma once

#include <stdbool.h>

// Enters a section, in which any number of threads may be; forks wait for a second at most until
// all other threads have left. A thread may enter within a section, and in the handlers of its own
// fork.
//
// Returns false, and enters nothing, in a child whose fork did not wait, and where a fork in
// progress does not end because it waits for something that the caller holds.
bool cbr_fork_gate_enter(void);

// Leaves a section that was entered.
void cbr_fork_gate_leave(void);
