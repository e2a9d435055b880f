// What a thread keeps for its messages in progress.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The innermost Swift call of a thread, with the place where it keeps its body's answer or error;
// see `KeptAnswer` in Swift.
struct cbr_kept_answer {
  uintptr_t called;
  void *_Nullable place;
};

enum { CBR_OUTSIDE_OF_MESSAGES = 1, CBR_OUTSIDE_OF_CALLS = 1 };

// The state of the messages in progress on one thread.
struct cbr_message_thread {
  // The error of a method that C code has called, a retained object; NULL if there is none;
  // `CBR_OUTSIDE_OF_MESSAGES` if no message in progress would take an error.
  void *_Nullable error;
  // The number of nested messages that are being forwarded.
  size_t forwarding_depth;
  // The typed hook whose conditions have admitted the call that is about to reach it, else NULL.
  const void *_Nullable admitted;
  // The innermost Swift call of a hooked method.
  struct cbr_kept_answer kept;
};

extern _Thread_local struct cbr_message_thread cbr_message_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct cbr_message_thread *cbr_message_here(void) {
  return &cbr_message_this_thread;
}

static inline struct cbr_kept_answer *cbr_kept_answer_here(void) {
  return &cbr_message_this_thread.kept;
}

static inline void *_Nullable *_Nonnull cbr_message_error_place(void) {
  return &cbr_message_this_thread.error;
}

#pragma clang assume_nonnull end
