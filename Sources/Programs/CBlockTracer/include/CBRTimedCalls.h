// Swift functions whose calls are timed besides being counted.
//
// Such a function asks for its replacement, and gets code that observes a call of any signature
// (CBROpaqueCalls.h). That runs the function from its beginning, which asks again: so a stub in between tells
// the thread first that this one is to be answered that there is none.
#pragma once

#define CBR_TIMED_FUNCTION 8

#ifndef __ASSEMBLER__
#pragma clang assume_nonnull begin

// The target of a stub (CBRCallStubs.h).
struct cbr_timed_function {
  // The stub jumps here: `cbr_timed_code`.
  const void *code;
  const void *function;
  // The code that observes calls, around the stub.
  const void *_Nullable observed;
};

// The code at which all stubs enter; NULL if the platform has none.
const void *_Nullable cbr_timed_code(void);

#pragma clang assume_nonnull end
#endif
