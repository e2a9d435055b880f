// What the library does itself, which its users do not see: the thread's calls of hooked functions
// are ignored, and `errno` stays what it is.
//
// Every function of this library's C that calls one which can be hooked stands in such a scope
// (`OwnCallSourceTests` reads the sources): a hooked `malloc` or `pthread_mutex_lock` would otherwise run its
// handlers in the middle of it. What belongs to the user (deinits, blocks' helpers, destructors of a
// library that is unloaded) stands outside.
#pragma once

#include <errno.h>

#include "CBRReentrancy.h"

// What `errno` is, and where.
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

// Until the end of the block that this stands in, the calls are the library's.
#define OWN_CALLS                                                                              \
  __attribute__((cleanup(cbr_end_own_calls), unused)) const struct cbr_kept_error kept_error = \
      cbr_begin_own_calls()

// Until then, only `errno` is kept: what is called is the user's.
#define KEEP_ERRNO                                                                                 \
  __attribute__((cleanup(cbr_end_keeping_error), unused)) const struct cbr_kept_error kept_error = \
      cbr_begin_keeping_error()
