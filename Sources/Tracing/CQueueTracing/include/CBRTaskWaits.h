// The waits of Swift tasks: for what, and in which functions, as Swift's concurrency library tells.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Whether the program's concurrency library says that its tasks have the layout that
// `cbr_task_functions` reads, and has the functions that tell of actors.
bool cbr_knows_task_layout(void);

// The actor on which the thread runs; NULL for none. Those of the main actor are one address.
const void *_Nullable cbr_current_actor(void);
const void *_Nullable cbr_main_actor(void);

// Writes where a suspended task, and those that await it, go on: the addresses of functions, the
// innermost first. The thread must have just suspended the task. Returns how many there are, at
// most `limit`.
size_t cbr_task_functions(const void *task, const void *_Nullable *_Nonnull functions, size_t limit);

// The next wait of the task that the thread runs: the address of an actor, or the number of a task.
struct cbr_task_wait {
  const void *_Nullable actor;
  uint64_t task;
};

// Stores what the thread's task is about to wait for, and takes it out again.
void cbr_task_set_wait(struct cbr_task_wait wait);
struct cbr_task_wait cbr_task_take_wait(void);

#pragma clang assume_nonnull end
