#include <duktape.h>

// Duktape's macros, as functions that Swift can call. None of them throws: an error that Duktape threw
// would jump over Swift's frames.

/// Makes an engine with a heap of its own; NULL without memory.
static inline duk_context *cduk_create(void) { return duk_create_heap_default(); }

/// Runs a script, and leaves its value or its error on the stack; not 0 if it failed.
static inline duk_int_t cduk_evaluate(duk_context *context, const char *source, size_t length) {
  return duk_peval_lstring(context, source, length);
}

/// What `cduk_install` passes on.
struct cduk_prelude {
  const char *source;
  size_t length;
  duk_c_function send;
};

static inline duk_ret_t cduk_install_unprotected(duk_context *context, void *data) {
  const struct cduk_prelude *prelude = (const struct cduk_prelude *)data;
  duk_eval_lstring(context, prelude->source, prelude->length);
  duk_push_c_function(context, prelude->send, 3);
  duk_call(context, 1);
  return 1;
}

/// Runs a script whose value is a function, calls that with a function of three arguments, and
/// leaves the result or an error on the stack; not 0 if it failed.
static inline duk_int_t cduk_install(duk_context *context, const char *source, size_t length,
                                     duk_c_function send) {
  struct cduk_prelude prelude = {source, length, send};
  return duk_safe_call(context, cduk_install_unprotected, &prelude, 0, 1);
}

/// What `cduk_receive` passes on.
struct cduk_message {
  const char *kind;
  double id;
  const char *payload;
};

static inline duk_ret_t cduk_receive_unprotected(duk_context *context, void *data) {
  const struct cduk_message *message = (const struct cduk_message *)data;
  duk_dup(context, 0);
  duk_push_string(context, message->kind);
  duk_push_number(context, message->id);
  duk_push_string(context, message->payload);
  duk_call(context, 3);
  return 1;
}

/// Calls the function at the bottom of the stack with a message, and leaves the result or an error
/// on the stack; not 0 if it failed.
static inline duk_int_t cduk_receive(duk_context *context, const char *kind, double id,
                                     const char *payload) {
  struct cduk_message message = {kind, id, payload};
  return duk_safe_call(context, cduk_receive_unprotected, &message, 0, 1);
}

/// The text of the error on the top of the stack, which lives while that stays there.
static inline const char *cduk_error(duk_context *context) {
  return duk_safe_to_string(context, -1);
}
