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
  // No script sees the stash.
  duk_push_heap_stash(context);
  duk_dup(context, -2);
  duk_put_prop_string(context, -2, "receive");
  return 1;
}

/// Runs a script whose value is a function, calls that with a function of three arguments, and keeps
/// the result for `cduk_receive`; leaves a value or an error on the stack; not 0 if it failed.
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
  int is_source;
};

static inline duk_ret_t cduk_receive_unprotected(duk_context *context, void *data) {
  const struct cduk_message *message = (const struct cduk_message *)data;
  duk_push_heap_stash(context);
  duk_get_prop_string(context, -1, "receive");
  duk_push_string(context, message->kind);
  duk_push_number(context, message->id);
  if (message->is_source)
    duk_eval_string(context, message->payload);
  else
    duk_push_string(context, message->payload);
  duk_call(context, 3);
  return 1;
}

/// Gives the script a message, whose payload may be the source of a value, and leaves the result or an
/// error on the stack; not 0 if it failed.
static inline duk_int_t cduk_receive(duk_context *context, const char *kind, double id,
                                     const char *payload, int is_source) {
  struct cduk_message message = {kind, id, payload, is_source};
  return duk_safe_call(context, cduk_receive_unprotected, &message, 0, 1);
}

static inline duk_ret_t cduk_push_unprotected(duk_context *context, void *data) {
  duk_push_string(context, (const char *)data);
  return 1;
}

/// Leaves a text on the stack, or an error if there is no memory for it.
static inline void cduk_push(duk_context *context, const char *text) {
  duk_safe_call(context, cduk_push_unprotected, (void *)text, 0, 1);
}

/// The text of the error on the top of the stack, which lives while that stays there.
static inline const char *cduk_error(duk_context *context) {
  return duk_safe_to_string(context, -1);
}
