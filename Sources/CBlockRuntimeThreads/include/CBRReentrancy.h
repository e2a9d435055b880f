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
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_reentrancy {
  // The return address of the latest call that was not ignored; stored by the hook's entry code.
  const void *_Nullable caller;
  // How many scopes in progress ignore the thread's calls; none are ignored if this is 0.
  uintptr_t ignored;
  // The memory of the call whose handler is running, and how many scopes there were when that call began; NULL
  // while the call's original runs, and outside of handlers.
  const void *_Nullable call;
  uintptr_t outside;
  // The value to restore to `errno` after the running handler, if `has_error`.
  int error;
  bool has_error;
};

extern _Thread_local struct cbr_reentrancy cbr_reentrancy
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Begins and ends a scope in which the thread's calls are ignored; scopes nest.
static inline void cbr_begin_ignoring(void) { cbr_reentrancy.ignored++; }
static inline void cbr_end_ignoring(void) { cbr_reentrancy.ignored--; }

// What a handler, or the original, leaves as it was: the state of the scope around it.
struct cbr_handling {
  const void *_Nullable caller;
  uintptr_t ignored;
  const void *_Nullable call;
  uintptr_t outside;
  int error;
  bool has_error;
};

// Begins and ends a handler of a call, whose own calls are ignored. Afterwards `errno` is what it was before
// the handler. If the handler runs instead of the original, `errno` is what the original left, or, if the
// handler did not call the original, what the handler left.
//
// The ends are not inlined: the stack may have been moved to another thread meanwhile, and compilers keep
// the address of a thread's variable.
static inline struct cbr_handling cbr_begin_handling(const void *_Nullable call, bool is_instead) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  struct cbr_handling around = {state->caller,  state->ignored, state->call,
                                state->outside, state->error,   state->has_error};
  if (state->call != call) {
    state->call = call;
    state->outside = state->ignored;
  }
  if (!is_instead) state->error = errno;
  state->has_error = !is_instead;
  state->ignored++;
  return around;
}
void cbr_end_handling(struct cbr_handling around);

// Begins and ends the original of a call. If one of the call's handlers proceeds to it, the handlers' scopes
// are lifted meanwhile, and the handler restores the `errno` that the original left; the scopes in which the
// call was made are not.
static inline struct cbr_handling cbr_begin_original(const void *call) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  struct cbr_handling around = {state->caller, state->ignored, state->call, state->outside, 0, 0};
  if (state->call == call) {
    state->ignored = state->outside;
    state->call = NULL;
    around.has_error = true;
  }
  return around;
}
void cbr_end_original(struct cbr_handling around);

const void *_Nullable cbr_current_caller(void);

#pragma clang assume_nonnull end
#endif
