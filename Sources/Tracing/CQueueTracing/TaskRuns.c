#include "CBRTaskRuns.h"

enum { RUN_LIMIT = 16 };

struct runs {
  size_t count;
  struct cbr_task_creation creation;
  struct cbr_task_run runs[RUN_LIMIT];
};

static _Thread_local struct runs here __attribute__((tls_model("initial-exec")));

size_t cbr_task_run_count(void) { return here.count; }

bool cbr_task_run_push(const struct cbr_task_run *run) {
  if (here.count == RUN_LIMIT) return false;
  here.runs[here.count++] = *run;
  return true;
}

const struct cbr_task_run *cbr_task_run_last(void) {
  return here.count == 0 ? NULL : &here.runs[here.count - 1];
}

void cbr_task_run_drop(void) { here.count--; }

struct cbr_task_creation cbr_task_current_creation(void) { return here.creation; }

void cbr_task_set_creation(struct cbr_task_creation creation) { here.creation = creation; }

void cbr_task_note_created(uint64_t number) { here.creation.number = number; }

// MARK: Swift's concurrency library

// Its functions of these have Swift's calling convention, which for at most one address and one
// result is C's. Weak: a program may have no such library, or an older one.
extern const void *swift_task_getCurrent(void) __attribute__((weak));
extern uint64_t swift_task_getJobTaskId(const void *task) __attribute__((weak));
extern size_t swift_task_getJobFlags(const void *job) __attribute__((weak));
extern const char *swift_task_getCurrentTaskName(void) __attribute__((weak));

bool cbr_has_tasks(void) { return swift_task_getCurrent && swift_task_getJobTaskId && swift_task_getJobFlags; }

const void *cbr_current_task(void) { return swift_task_getCurrent(); }

uint64_t cbr_task_number(const void *task) { return swift_task_getJobTaskId(task); }

uint64_t cbr_job_flags(const void *job) { return swift_task_getJobFlags(job); }

struct option {
  size_t flags;
  const struct option *next;
  const char *name;
};

const char *cbr_task_option_name(const void *options) {
  enum { KIND = 0xFF, NAME = 7 };
  for (const struct option *option = options; option; option = option->next) {
    if ((option->flags & KIND) == NAME) return option->name;
  }
  return NULL;
}

const char *cbr_current_task_name(void) {
  return swift_task_getCurrentTaskName ? swift_task_getCurrentTaskName() : NULL;
}
