// Calls of C functions that are hooked at their import slots.
//
// An interposed function's code looks at its thread first: where the thread's calls pass, because a
// handler or the library itself makes them, it goes on to the original with everything as its caller
// left it, and touches nothing else.
#pragma once

#define CBR_INTERPOSED_CODE 0
#define CBR_INTERPOSED_HOOKED 8
#define CBR_INTERPOSED_ORIGINAL 16

#define CBR_INTERPOSING_CALLER 0
#define CBR_INTERPOSING_PASSES 8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What a stub (CBRCallStubs.h) leads to.
struct cbr_interposed {
  // Where the stub jumps: `cbr_interposed_code`.
  const void *code;
  const void *hooked;
  const void *original;
};

// What a thread knows of interposed calls.
struct cbr_interposing {
  // Where the latest call that did not pass came from.
  const void *_Nullable caller;
  // The thread's calls pass while this is not 0.
  uintptr_t passes;
  // What `errno` is to be after the handler that is running, if it has such a value.
  int error;
  bool has_error;
};

extern _Thread_local struct cbr_interposing cbr_interposing
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// NULL where the platform has none.
const void *_Nullable cbr_interposed_code(void);

// Lets the thread's calls pass once more, and once less.
static inline void cbr_begin_passing(void) { cbr_interposing.passes++; }
static inline void cbr_end_passing(void) { cbr_interposing.passes--; }

// Sets how often the thread's calls pass; returns what was set before.
uintptr_t cbr_exchange_passing(uintptr_t passes);

// Notes what `errno` is for the handler around a call whose original has returned.
void cbr_keep_error(void);

// Begins and ends a handler, whose calls pass: it leaves `errno` as it found it, or, if it runs instead of
// the original, as that left it, if it was called.
void cbr_begin_handling(bool is_instead);
void cbr_end_handling(void);

const void *_Nullable cbr_interposed_caller(void);
void cbr_set_interposed_caller(const void *_Nullable caller);

#pragma clang assume_nonnull end
#endif
