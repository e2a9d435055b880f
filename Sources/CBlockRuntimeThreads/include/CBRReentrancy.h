// The re-entrancy guard of a thread: which of its calls of hooked functions are ignored.
//
// Handlers of a hooked function, and the library itself, call functions that may be hooked. Code that
// calls come in through looks at its thread first: where the thread's calls are ignored, it goes on to
// the original with everything as its caller left it, and touches nothing else.
#pragma once

#define CBR_REENTRANCY_CALLER 0
#define CBR_REENTRANCY_IGNORED 8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_reentrancy {
  // Where the latest call that was not ignored came from, as the code says that it came in through.
  const void *_Nullable caller;
  // The thread's calls are ignored while this is not 0.
  uintptr_t ignored;
  // What `errno` is to be after the handler that is running, if it has such a value.
  int error;
  bool has_error;
};

extern _Thread_local struct cbr_reentrancy cbr_reentrancy
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Ignores the thread's calls once more, and once less.
static inline void cbr_begin_ignoring(void) { cbr_reentrancy.ignored++; }
static inline void cbr_end_ignoring(void) { cbr_reentrancy.ignored--; }

// Begins and ends a handler, whose calls are ignored: it leaves `errno` as it found it, or, if it runs
// instead of the original, as that left it, if it was called.
void cbr_begin_handling(bool is_instead);
void cbr_end_handling(void);

// Begins and ends the original's call, during which the thread's calls are not ignored. The handler
// around it leaves the original's `errno`.
struct cbr_reentrancy cbr_begin_original(void);
void cbr_end_original(struct cbr_reentrancy before);

const void *_Nullable cbr_current_caller(void);

#pragma clang assume_nonnull end
#endif
