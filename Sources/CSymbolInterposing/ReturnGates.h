// Gates: instructions of an object that return to an address which is on the stack. A function that is called
// with a gate's address as its return address seems to be called by that object.
#pragma once

// The first gate from `start` on; NULL if there is none before `end`.
const void *cbr_find_gate(const unsigned char *start, const unsigned char *end);

// Calls `function(path, mode)` so that it returns to `gate`, which returns to this function.
void *cbr_call_through(const char *path, int mode, const void *function, const void *gate);
