// The re-entrancy guard of a thread: whether its calls of hooked functions are ignored.
//
// Handlers of a hooked function, and the library itself, call functions that may be hooked. The entry
// code of a hooked function checks the guard first: if the thread's calls are ignored, it jumps to the
// original with the stack and the arguments as its caller left them, and touches nothing else.
#pragma once

#define CBR_REENTRANCY_CALLER 0
#define CBR_REENTRANCY_IGNORED 8

#ifndef __ASSEMBLER__
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_reentrancy {
  // The return address of the latest call that was not ignored; stored by the hook's entry code.
  const void *_Nullable caller;
  // How many scopes in progress ignore the thread's calls; none are ignored if this is 0.
  uintptr_t ignored;
  // The value to restore to `errno` after the running handler, if `has_error`.
  int error;
  bool has_error;
};

extern _Thread_local struct cbr_reentrancy cbr_reentrancy
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Begins and ends a scope in which the thread's calls are ignored; scopes nest.
static inline void cbr_begin_ignoring(void) { cbr_reentrancy.ignored++; }
static inline void cbr_end_ignoring(void) { cbr_reentrancy.ignored--; }

// Begins and ends a handler, whose calls are ignored. Afterwards `errno` is what it was before the
// handler. If the handler runs instead of the original, `errno` is what the original left, or, if the
// handler did not call the original, what the handler left.
//
// The ends are not inlined: the stack may have been moved to another thread meanwhile, and compilers keep
// the address of a thread's variable.
static inline void cbr_begin_handling(bool is_instead) {
  if (!is_instead) cbr_reentrancy.error = errno;
  cbr_reentrancy.has_error = !is_instead;
  cbr_reentrancy.ignored++;
}
void cbr_end_handling(void);

// What a call of the original leaves as it was.
struct cbr_handling {
  const void *_Nullable caller;
  uintptr_t ignored;
};

// Begins and ends a handler's call of the original, during which the thread's calls are not ignored.
// The handler restores the `errno` that the original left.
static inline struct cbr_handling cbr_begin_original(void) {
  struct cbr_handling before = {cbr_reentrancy.caller, cbr_reentrancy.ignored};
  cbr_reentrancy.ignored = 0;
  return before;
}
void cbr_end_original(struct cbr_handling before);

const void *_Nullable cbr_current_caller(void);

#pragma clang assume_nonnull end
#endif
