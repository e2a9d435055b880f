// Gates: instructions of an object that return to an address which is on the stack. A function that
// is called with a gate's address as its return address seems to be called by that object.
#pragma once

#define CBR_GATE_RECORD 8
#define CBR_GATE_SIZE 16
#define CBR_GATE_IS_AUTHENTICATING 24

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbr_gate {
  const void *code;
  // On AArch64: where, from the stack pointer, it loads a frame record, and by how much it raises
  // the stack pointer; whether it authenticates the address.
  uintptr_t record, size, is_authenticating;
};

// Finds the first gate from `start` on; false if there is none before `end`.
bool cbr_find_gate(const unsigned char *start, const unsigned char *end, struct cbr_gate *gate);

// Calls `function(path, mode)` so that it returns to the gate, which returns to this function.
void *cbr_call_through(const char *path, int mode, const void *function, const struct cbr_gate *gate);
#endif
