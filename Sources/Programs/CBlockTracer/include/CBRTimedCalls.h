// Swift functions whose calls are timed besides being counted.
//
// Such a function asks for its replacement, and gets code that observes a call of any signature
// (CBROpaqueCalls.h). That code runs the function from its beginning, and the function asks again.
// So the code runs a stub first, which notes for the thread that the answer is now: no replacement.
#pragma once

#define CBR_TIMED_FUNCTION 8

#ifndef __ASSEMBLER__
#pragma clang assume_nonnull begin

// The target of a stub (CBRCallStubs.h).
struct cbr_timed_function {
  // Where the stub jumps: `cbr_timed_code`.
  const void *code;
  const void *function;
  // The code that observes a call, and runs the stub.
  const void *_Nullable observed;
};

// The code at which all stubs enter; NULL if the platform has none.
const void *_Nullable cbr_timed_code(void);

#pragma clang assume_nonnull end
#endif
