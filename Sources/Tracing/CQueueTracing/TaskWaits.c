#include "CBRTaskWaits.h"

static _Thread_local struct cbr_task_wait next __attribute__((tls_model("initial-exec")));

void cbr_task_set_wait(struct cbr_task_wait wait) { next = wait; }

struct cbr_task_wait cbr_task_take_wait(void) {
  struct cbr_task_wait wait = next;
  next = (struct cbr_task_wait){0};
  return wait;
}

// MARK: Swift's concurrency library

// The executor of an actor is the actor's address and how it is used (SerialExecutorRef in Swift's
// ABI/Executor.h).
struct executor {
  const void *actor;
  uintptr_t implementation;
};

// These have Swift's calling convention, which for such a result is C's. Weak, as in TaskRuns.c.
extern struct executor swift_task_getCurrentExecutor(void) __attribute__((weak));
extern struct executor swift_task_getMainExecutor(void) __attribute__((weak));
extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));

// The version of Swift's debuggers for what follows: `Job` and `AsyncTask` in Swift's ABI/Task.h.
enum { LAYOUT_VERSION = 1 };

// A task that is suspended: where it goes on.
struct task {
  const void *job[7];
  const void *resume;
  const struct context *context;
};

// The beginning of an async function's context: the caller's, and where that goes on.
struct context {
  const struct context *parent;
  const void *resume;
};

bool cbr_knows_task_layout(void) {
  return swift_task_getCurrentExecutor && swift_task_getMainExecutor &&
         &_swift_concurrency_debug_internal_layout_version &&
         _swift_concurrency_debug_internal_layout_version == LAYOUT_VERSION;
}

const void *cbr_current_actor(void) { return swift_task_getCurrentExecutor().actor; }

const void *cbr_main_actor(void) { return swift_task_getMainExecutor().actor; }

size_t cbr_task_functions(const void *suspended, const void **functions, size_t limit) {
  const struct task *task = suspended;
  const struct context *context = task->context;
  const void *function = task->resume;
  size_t count = 0;
  // A function that calls itself has a context for each call.
  for (size_t steps = 8 * limit; function && count < limit && steps > 0; steps--) {
    // A wait's own context leads to the function that waits.
    if (count == 0 || functions[count - 1] != function) functions[count++] = function;
    function = context ? context->resume : NULL;
    context = context ? context->parent : NULL;
  }
  return count;
}
