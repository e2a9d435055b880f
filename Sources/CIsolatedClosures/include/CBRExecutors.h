// The actor, the task and the executor of the calling code, without trapping.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Swift's `UnownedSerialExecutor`.
struct cbr_executor {
  uintptr_t identity;
  uintptr_t implementation;
};

// Whether the calling code is isolated to the executor.
bool cbr_executor_is_current(struct cbr_executor executor);

// The executor to which the calling code is isolated; zeros if there is none.
struct cbr_executor cbr_executor_of_task(void);

// The number of the task that runs the calling code, which no other task of the process has; 0 outside of
// tasks.
uint64_t cbr_number_of_task(void);
