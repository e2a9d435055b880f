#include "CBRExecutors.h"

#include <stddef.h>

#define SWIFT __attribute__((swiftcall))

// Declared in Swift's `include/swift/Runtime/Concurrency.h`. Without flags the first returns false instead of
// trapping.
SWIFT bool swift_task_isCurrentExecutorWithFlags(struct cbr_executor executor, uintptr_t flags);
SWIFT struct cbr_executor swift_task_getCurrentExecutor(void);
SWIFT void *swift_task_getCurrent(void);
SWIFT uint64_t swift_task_getJobTaskId(void *job);

bool cbr_executor_is_current(struct cbr_executor executor) {
  return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

struct cbr_executor cbr_executor_of_task(void) { return swift_task_getCurrentExecutor(); }

uint64_t cbr_number_of_task(void) {
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}
