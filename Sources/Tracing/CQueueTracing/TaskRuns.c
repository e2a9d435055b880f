#define _GNU_SOURCE
#include "CBRTaskRuns.h"

#include <dlfcn.h>
#include <pthread.h>

#include "CBROwnCalls.h"

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

// Its functions of these have Swift's calling convention, which for at most one address and one result is C's.
static const void *(*current_task)(void);
static uint64_t (*task_number)(const void *task);
static size_t (*job_flags)(const void *job);
static const char *(*task_name)(void);

static void find(void) {
  OWN_CALLS;
  current_task = dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
  task_number = dlsym(RTLD_DEFAULT, "swift_task_getJobTaskId");
  job_flags = dlsym(RTLD_DEFAULT, "swift_task_getJobFlags");
  task_name = dlsym(RTLD_DEFAULT, "swift_task_getCurrentTaskName");
}

bool cbr_has_tasks(void) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find);
  return current_task && task_number && job_flags;
}

const void *cbr_current_task(void) { return current_task(); }

uint64_t cbr_task_number(const void *task) { return task_number(task); }

uint64_t cbr_job_flags(const void *job) { return job_flags(job); }

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

const char *cbr_current_task_name(void) { return task_name ? task_name() : NULL; }
