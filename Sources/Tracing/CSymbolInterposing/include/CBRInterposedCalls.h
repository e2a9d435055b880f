// Calls of C functions that are hooked at their import slots.
//
// The code of an interposed function first checks the thread's re-entrancy guard (CBRReentrancy.h),
// then jumps to the hooks or to the original.
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

// Lets calls that are not ignored lead to other code from now on. Both codes must stay valid.
void cbr_lead_interposed(struct cbr_interposed *interposed, const void *hooked);

// A function that replaces `_Block_copy`: it calls `function`, which is `_Block_copy`, and then,
// with the thread's calls ignored, `copied` with the block, if there is one. It is to be entered by
// calls that are not ignored. NULL if it replaces another `_Block_copy` already. One thread at a
// time may call this.
const void *_Nullable cbr_follow_copies(const void *function, void (*copied)(const void *copy));

#pragma clang assume_nonnull end
#endif
