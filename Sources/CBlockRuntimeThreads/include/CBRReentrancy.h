// The re-entrancy guard of a thread: whether its calls of hooked functions are ignored.
//
// Handlers of a hooked function, and the library itself, call functions that may be hooked. The entry
// code of a hooked function checks the guard first: if the thread's calls are ignored, it jumps to the
// original with the stack and the arguments as its caller left them, and touches nothing else.
#pragma once

#define CBR_REENTRANCY_CALLER 0
#define CBR_REENTRANCY_IGNORED 8
#define CBR_REENTRANCY_STACK 16
#define CBR_REENTRANCY_FRAME 24

#ifndef __ASSEMBLER__
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A value to restore to `errno`: the value with a bit above it, or 0 for none.
typedef uint64_t cbr_handled_error;
#define CBR_HANDLED_ERROR(value) ((cbr_handled_error)(uint32_t)(value) | (cbr_handled_error)1 << 32)

struct cbr_reentrancy {
  // The return address of the latest call that was not ignored; stored by the hook's entry code.
  const void *_Nullable caller;
  // How many scopes in progress ignore the thread's calls; none are ignored if this is 0.
  uintptr_t ignored;
  // The stack pointer that the caller of that call has after it, and its frame pointer; of use to the first
  // handler that runs, before calls of other hooked functions.
  const void *_Nullable stack;
  const void *_Nullable frame;
  // The memory of the call whose handler is running, and how many scopes there were when that call began; NULL
  // while the call's original runs, and outside of handlers.
  const void *_Nullable call;
  uintptr_t outside;
  cbr_handled_error error;
};

extern _Thread_local struct cbr_reentrancy cbr_reentrancy
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Begins and ends a scope in which the thread's calls are ignored; scopes nest.
static inline void cbr_begin_ignoring(void) { cbr_reentrancy.ignored++; }
static inline void cbr_end_ignoring(void) { cbr_reentrancy.ignored--; }

// The state around a handler's scope.
struct cbr_around_handler {
  const void *_Nullable call;
  uintptr_t outside;
  cbr_handled_error error;
};

// Begins and ends a handler of a call, whose own calls are ignored. Afterwards `errno` is what it was before
// the handler. If the handler runs instead of the original, `errno` is what the original left, or, if the
// handler did not call the original, what the handler left.
//
// The ends are not inlined: the stack may have been moved to another thread meanwhile, and compilers keep
// the address of a thread's variable. They take what the begins return in registers.
static inline struct cbr_around_handler cbr_begin_handling(const void *_Nullable call,
                                                           bool is_instead) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  struct cbr_around_handler around = {state->call, state->outside, state->error};
  if (around.call != call) {
    state->call = call;
    state->outside = state->ignored;
  }
  state->error = is_instead ? 0 : CBR_HANDLED_ERROR(errno);
  state->ignored++;
  return around;
}
void cbr_end_handling(const void *_Nullable call, uintptr_t outside, cbr_handled_error error);

// The state around an original, and the call if one of its handlers proceeds to it.
struct cbr_around_original {
  const void *_Nullable caller;
  uintptr_t ignored;
  const void *_Nullable call;
};

// Begins and ends the original of a call. If one of the call's handlers proceeds to it, the handlers' scopes
// are lifted meanwhile, and the handler restores the `errno` that the original left; the scopes in which the
// call was made are not.
static inline struct cbr_around_original cbr_begin_original(const void *call) {
  struct cbr_reentrancy *state = &cbr_reentrancy;
  struct cbr_around_original around = {state->caller, state->ignored, NULL};
  if (state->call == call) {
    state->ignored = state->outside;
    state->call = NULL;
    around.call = call;
  }
  return around;
}
void cbr_end_original(const void *_Nullable caller, uintptr_t ignored, const void *_Nullable call);

const void *_Nullable cbr_current_caller(void);
const void *_Nullable cbr_current_stack(void);

#pragma clang assume_nonnull end
#endif
