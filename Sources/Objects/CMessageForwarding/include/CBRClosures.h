// Calls of Swift closures by their code.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Calls a closure of the type `(AnyObject, Arguments) throws -> Outcome` that is stored in a
// generic structure. So stored, it takes the receiver itself, the address of one value of type
// `Arguments`, and that of memory for an `Outcome`, which it initialises unless it throws; the
// caller need know neither generic type.
//
// Returns the error, with a reference that the caller owns; NULL if there is none.
static inline void *_Nullable cbr_call_closure(uintptr_t code, uintptr_t context,
                                               const void *receiver, const void *arguments,
                                               void *outcome) {
  typedef __attribute__((swiftcall)) void (*closure)(
      __attribute__((swift_indirect_result)) void *outcome, const void *receiver,
      const void *arguments, __attribute__((swift_context)) const void *_Nullable context,
      __attribute__((swift_error_result)) void *_Nullable *_Nonnull error);
  void *_Nullable error = NULL;
  ((closure)code)(outcome, receiver, arguments, (const void *)context, &error);
  return error;
}

#pragma clang assume_nonnull end
