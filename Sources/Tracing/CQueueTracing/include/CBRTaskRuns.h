// The Swift tasks that the thread runs, and what Swift's concurrency library tells of tasks.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A part of a task that began on the thread and has not ended.
struct cbr_task_run {
  const void *task;
  // The stack pointer of what began it: what begins deeper in the stack is inside of it.
  const void *_Nullable stack;
  // The number of the task's trace, and what that stores in a call in progress.
  uint32_t trace;
  uint64_t words[3];
  // The task that the thread ran before.
  uint64_t outer;
};

// How many parts are in progress on the thread.
size_t cbr_task_run_count(void);

// Adds a part; returns false if too many are in progress.
bool cbr_task_run_push(const struct cbr_task_run *run);

// The innermost part; NULL if there is none. Valid until the thread changes its parts.
const struct cbr_task_run *_Nullable cbr_task_run_last(void);

// Removes the innermost part, which must exist.
void cbr_task_run_drop(void);

// A task that the thread is creating: the code that it runs, its name, and the return addresses of
// those who create it, which are valid until it is created; and its number once that is known. All
// is NULL while the thread creates none.
struct cbr_task_creation {
  const void *_Nullable code;
  const char *_Nullable name;
  const void *_Nullable const *_Nullable callers;
  size_t caller_count;
  uint64_t number;
};

struct cbr_task_creation cbr_task_current_creation(void);
void cbr_task_set_creation(struct cbr_task_creation creation);
void cbr_task_note_created(uint64_t number);

// Whether the program has Swift's concurrency library with what follows.
bool cbr_has_tasks(void);

// The task that the thread runs; NULL for none.
const void *_Nullable cbr_current_task(void);

// The number of a task, and the flags of a job (`JobFlags` in Swift's ABI/MetadataValues.h).
uint64_t cbr_task_number(const void *task);
uint64_t cbr_job_flags(const void *job);

// The name among the options of a task that is to be created (Swift's ABI/TaskOptions.h); NULL
// without one.
const char *_Nullable cbr_task_option_name(const void *_Nullable options);

// The name of the task that the thread runs; NULL without one. The string lives as long as the
// task.
const char *_Nullable cbr_current_task_name(void);

#pragma clang assume_nonnull end
