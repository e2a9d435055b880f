// The re-entrancy guard of a thread: whether its calls of hooked functions are ignored.
//
// Handlers of a hooked function, and the library itself, call functions that may be hooked. The
// entry code of a hooked function checks the guard first: if the thread's calls are ignored, it
// jumps to the original with the stack and the arguments as its caller left them, and touches
// nothing else.
#pragma once

#define CBR_REENTRANCY_CALLER 0
#define CBR_REENTRANCY_IGNORED 8
#define CBR_REENTRANCY_STACK 16
#define CBR_REENTRANCY_FRAME 24
#define CBR_REENTRANCY_SELF 32

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A value of `errno` with a bit above it, or 0 for none. One bit says that the caller finds the
// value when the handlers have ended. The other says that only the original finds the value, while
// a handler runs instead of the original.
typedef uint64_t cbr_handled_error;
#define CBR_ERROR_OF_CALL ((cbr_handled_error)1 << 32)
#define CBR_ERROR_OF_ORIGINAL ((cbr_handled_error)1 << 33)
#define CBR_HANDLED_ERROR(value) ((cbr_handled_error)(uint32_t)(value) | CBR_ERROR_OF_CALL)

// A handler in progress whose own calls are not ignored, in the memory of its scope.
struct cbr_open_handler {
  // The address of the function whose handler runs, the memory of its call, and the call's caller.
  uintptr_t function;
  const void *_Nullable call;
  const void *_Nullable caller;
  // The thread's `ignored` outside of the handler's open scope.
  uintptr_t ignored;
  // How many originals of the call are running: meanwhile the handler does not count as in
  // progress.
  uintptr_t lifted;
  struct cbr_open_handler *_Nullable outer;
};

struct cbr_reentrancy {
  // The return address of the latest call that was not ignored; stored by the hook's entry code.
  const void *_Nullable caller;
  // How many scopes in progress ignore the thread's calls; none are ignored if this is 0.
  uintptr_t ignored;
  // The stack pointer that the caller of that call has after it, and the caller's frame pointer;
  // for the first handler that runs, before calls of other hooked functions.
  const void *_Nullable stack;
  const void *_Nullable frame;
  // The register in which Swift passes `self` to methods; for the same handler.
  const void *_Nullable self;
  // The memory of the call whose handler is running (NULL while the call's original runs, and
  // outside of handlers), and the thread's `ignored` when that call began.
  const void *_Nullable call;
  uintptr_t outside;
  cbr_handled_error error;
  // The address of the thread's `errno`; NULL until it is needed.
  int *_Nullable error_number;
  // The innermost handler in progress whose own calls are not ignored.
  struct cbr_open_handler *_Nullable open;
};

extern _Thread_local struct cbr_reentrancy cbr_reentrancy
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The state of the thread that executes this, which may be another one at the end of a scope than
// at its begin: the stack may have been moved to another thread. See CBRThisThread.h.
static inline struct cbr_reentrancy *cbr_reentrancy_of_now(void) {
#if defined(__x86_64__) && defined(__LP64__)
  struct cbr_reentrancy *state;
  __asm__ volatile("movq cbr_reentrancy@gottpoff(%%rip), %0\n"
                   "addq %%fs:0, %0"
                   : "=r"(state));
  return state;
#elif defined(__aarch64__)
  uintptr_t base, offset;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(base));
  __asm__("adrp %0, :gottprel:cbr_reentrancy\n"
          "ldr %0, [%0, :gottprel_lo12:cbr_reentrancy]"
          : "=r"(offset));
  return (struct cbr_reentrancy *)(base + offset);
#else
  return &cbr_reentrancy;
#endif
}

// The address of `errno` of the thread that has the state.
int *cbr_find_error_number(struct cbr_reentrancy *state);
static inline int *cbr_error_number(struct cbr_reentrancy *state) {
  int *address = state->error_number;
  return __builtin_expect(address != NULL, 1) ? address : cbr_find_error_number(state);
}

// Begins and ends a scope in which the thread's calls are ignored; scopes nest.
static inline void cbr_begin_ignoring(void) { cbr_reentrancy.ignored++; }
static inline void cbr_end_ignoring(void) { cbr_reentrancy.ignored--; }

// The state around a handler's scope.
struct cbr_around_handler {
  const void *_Nullable call;
  uintptr_t outside;
  cbr_handled_error error;
};

// Begins and ends a handler of a call, whose own calls are ignored. Afterwards `errno` is what it
// was before. If the handler runs instead of the original, `errno` is what the original left, or,
// if the handler did not call the original, what the handler left. The original finds the caller's.
static inline struct cbr_around_handler cbr_begin_handling(const void *_Nullable call,
                                                           bool is_instead) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  struct cbr_around_handler around = {state->call, state->outside, state->error};
  uint32_t number;
  if (__builtin_expect(around.call == call, 0) && call) {
    // A handler of the same call, in which this one runs, may have changed the thread's `errno`.
    number = (uint32_t)around.error;
    *cbr_error_number(state) = (int)number;
  } else {
    state->call = call;
    state->outside = state->ignored;
    number = (uint32_t)*cbr_error_number(state);
  }
  state->error = number | (is_instead ? CBR_ERROR_OF_ORIGINAL : CBR_ERROR_OF_CALL);
  state->ignored++;
  return around;
}
static inline void cbr_end_handling(struct cbr_around_handler around) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  cbr_handled_error own = state->error;
  state->ignored--;
  if (__builtin_expect(around.call == state->call, 0) && around.call) {
    // An outer handler of the same call restores the `errno` that this one leaves.
    state->error = own & CBR_ERROR_OF_CALL ? own : CBR_HANDLED_ERROR(*cbr_error_number(state));
  } else {
    state->error = around.error;
    state->call = around.call;
    state->outside = around.outside;
  }
  if (own & CBR_ERROR_OF_CALL) *cbr_error_number(state) = (int)own;
}

// The return address of the call whose handler is running, else of the latest call that was not
// ignored.
const void *_Nullable cbr_current_caller(void);

// Whether a call of a function is made by one of the function's open handlers, on this thread.
bool cbr_find_open_handler(uintptr_t function, const void *call);
static inline bool cbr_is_call_by_own_handler(uintptr_t function, const void *call) {
  if (__builtin_expect(cbr_reentrancy_of_now()->open == NULL, 1)) return false;
  return cbr_find_open_handler(function, call);
}

// Begins and ends the scope of an open handler, within that of a handler: its calls are ignored
// only if the handler's own call was made where calls are ignored.
static inline void cbr_begin_open_handler(struct cbr_open_handler *handler, uintptr_t function) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  *handler = (struct cbr_open_handler){
      function, state->call, cbr_current_caller(), state->ignored, 0, state->open};
  state->open = handler;
  state->ignored = state->outside;
}
static inline void cbr_end_open_handler(const struct cbr_open_handler *handler) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  state->open = handler->outer;
  state->ignored = handler->ignored;
}

// The state around an original, and the call if one of its handlers proceeds to it.
struct cbr_around_original {
  const void *_Nullable caller;
  uintptr_t ignored;
  const void *_Nullable call;
};

// Notes that one more (1) or one less (-1) original of a call is running: meanwhile the call's open
// handlers do not count as in progress. The function is seldom called, and saves the registers that
// it needs, so that its callers save none for it.
__attribute__((preserve_most)) void cbr_lift_open_handlers(struct cbr_reentrancy *state,
                                                           const void *call, intptr_t difference);

// Begins and ends the original of a call. If one of the call's handlers proceeds to it, the
// original finds the caller's `errno`, or what another original of the call has left. The handlers'
// scopes are lifted meanwhile, and the handler restores the `errno` that the original left; the
// scopes in which the call was made are not lifted.
static inline struct cbr_around_original cbr_begin_original(const void *call) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  struct cbr_around_original around = {state->caller, state->ignored, NULL};
  if (state->call == call) {
    state->ignored = state->outside;
    state->call = NULL;
    around.call = call;
    // The handler that has begun on this thread has found the address.
    *state->error_number = (int)state->error;
    if (__builtin_expect(state->open != NULL, 0)) cbr_lift_open_handlers(state, call, 1);
  }
  return around;
}
static inline void cbr_end_original(struct cbr_around_original around) {
  struct cbr_reentrancy *state = cbr_reentrancy_of_now();
  state->caller = around.caller;
  if (!around.call) return;
  state->ignored = around.ignored;
  state->call = around.call;
  if (__builtin_expect(state->open != NULL, 0)) cbr_lift_open_handlers(state, around.call, -1);
  state->error = CBR_HANDLED_ERROR(*cbr_error_number(state));
}

const void *_Nullable cbr_current_stack(void);
const void *_Nullable cbr_current_self(void);

// The `errno` that the handlers of a call leave to its caller, if one of them is running; else the
// thread's.
int cbr_call_error_number(const void *call);
void cbr_set_call_error_number(const void *call, int number);

// Has the caller's `errno` restored when the handlers of a call have ended: the call goes on then.
void cbr_keep_error_number(const void *call);

#pragma clang assume_nonnull end
#endif
