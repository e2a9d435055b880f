#include <duktape.h>

// Duktape's macros, as functions that Swift can call. None of them throws: an error that Duktape threw
// would jump over Swift's frames.

/// Makes an engine with a heap of its own; NULL without memory.
static inline duk_context *cduk_create(void) { return duk_create_heap_default(); }

/// Runs a script, and leaves its value or its error on the stack; not 0 if it failed.
static inline duk_int_t cduk_evaluate(duk_context *context, const char *source, size_t length) {
  return duk_peval_lstring(context, source, length);
}

/// Calls the function below the arguments on the stack; not 0 if it failed.
static inline duk_int_t cduk_call(duk_context *context, duk_idx_t count) {
  return duk_pcall(context, count);
}

/// The text of the error on the top of the stack, which lives while that stays there.
static inline const char *cduk_error(duk_context *context) {
  return duk_safe_to_string(context, -1);
}
