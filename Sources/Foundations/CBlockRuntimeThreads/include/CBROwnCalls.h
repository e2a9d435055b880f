// Scopes for the library's own calls, which its users do not see: within one, the thread's calls of
// hooked functions are ignored; afterwards, `errno` is what it was before.
//
// Every C function of this library that calls a function which can be hooked does so in such a
// scope (`OwnCallSourceTests` reads the sources): otherwise a hooked `malloc` or
// `pthread_mutex_lock` would run its handlers in the middle of it. Calls that run the user's code
// (deinits, block helpers, destructors of an unloaded library) are made outside of these scopes.
#pragma once

#include <errno.h>

#include "CBRReentrancy.h"

// The saved value of `errno`, and the address of the thread's `errno`.
struct cbr_kept_error {
  int *place;
  int error;
};

static inline struct cbr_kept_error cbr_begin_keeping_error(void) {
  return (struct cbr_kept_error){&errno, errno};
}

static inline void cbr_end_keeping_error(const struct cbr_kept_error *kept) {
  *kept->place = kept->error;
}

static inline struct cbr_kept_error cbr_begin_own_calls(void) {
  cbr_begin_ignoring();
  return cbr_begin_keeping_error();
}

static inline void cbr_end_own_calls(const struct cbr_kept_error *kept) {
  cbr_end_keeping_error(kept);
  cbr_end_ignoring();
}

// Until the end of the enclosing C block, calls are the library's own.
#define OWN_CALLS                                                                              \
  __attribute__((cleanup(cbr_end_own_calls), unused)) const struct cbr_kept_error kept_error = \
      cbr_begin_own_calls()

// Until the end of the enclosing C block, calls run the user's code: only `errno` is restored.
#define KEEP_ERRNO                                                                                 \
  __attribute__((cleanup(cbr_end_keeping_error), unused)) const struct cbr_kept_error kept_error = \
      cbr_begin_keeping_error()
