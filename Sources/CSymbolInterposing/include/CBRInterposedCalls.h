// Calls of C functions that are hooked at their import slots.
//
// The code of an interposed function first checks the thread's re-entrancy guard (CBRReentrancy.h), then
// jumps to the hooks or to the original.
#pragma once

#define CBR_INTERPOSED_CODE 0
#define CBR_INTERPOSED_HOOKED 8
#define CBR_INTERPOSED_ORIGINAL 16

#ifndef __ASSEMBLER__
#pragma clang assume_nonnull begin

// The target of a stub (CBRCallStubs.h).
struct cbr_interposed {
  // The stub jumps here: `cbr_interposed_code`.
  const void *code;
  const void *hooked;
  const void *original;
};

// The code at which all stubs of interposed functions enter; NULL if the platform has none.
const void *_Nullable cbr_interposed_code(void);

#pragma clang assume_nonnull end
#endif
