#include "CBRExecutors.h"

#define SWIFT __attribute__((swiftcall))

// Declared in Swift's `include/swift/Runtime/Concurrency.h`. Without flags the first returns false
// instead of trapping.
SWIFT bool swift_task_isCurrentExecutorWithFlags(struct cbr_executor executor, uintptr_t flags);
SWIFT struct cbr_executor swift_task_getCurrentExecutor(void);

bool cbr_executor_is_current(struct cbr_executor executor) {
  return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

struct cbr_executor cbr_executor_of_task(void) { return swift_task_getCurrentExecutor(); }
