// Calls of code whose signature is not known: they go on with all registers and the stack as their
// caller left them, and are told when they begin and end.
//
// The code cannot know what lies on the stack above the return address, so the thread keeps that
// address while the original runs, and rbx, which the original leaves as it is, says where. So the
// call finds its way back on whatever stack it runs, and unwinders pass it: exceptions, the end of
// the thread, backtraces.
#pragma once

#define CBR_OPAQUE_ORIGINAL 8

// Of what the thread keeps.
#define CBR_OPAQUE_KEPT_RETURN_ADDRESS 0
#define CBR_OPAQUE_KEPT_RBX 8

// What is kept beside the integer registers: the x87, and vectors of up to 64 bytes; and its size, as
// `xsave` lays it out.
#define CBR_OPAQUE_COMPONENTS 0x47
#define CBR_OPAQUE_VECTORS 1664

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What is kept of a call under way: words of the observer's own.
struct cbr_opaque_call {
  uint64_t words[3];
};

// What a stub (CBRCallStubs.h) leads to: valid while calls come in, and until those have ended.
struct cbr_opaque {
  // Where the stub jumps: `cbr_opaque_code`.
  const void *code;
  const void *original;
  const void *context;
  // Called around the original, on the caller's thread.
  void (*begin)(const void *context, struct cbr_opaque_call *call);
  void (*end)(const void *context, struct cbr_opaque_call *call);
  // Called in place of `end` for a call that does not return: as the stack is unwound, at the thread's
  // end, or, where it was left by longjmp, when that is noticed.
  void (*abandon)(const void *context, struct cbr_opaque_call *call);
};

// NULL where the platform has none.
const void *_Nullable cbr_opaque_code(void);

#pragma clang assume_nonnull end
#endif
