#include "CBRExecutors.h"

// Declared in Swift's `include/swift/Runtime/Concurrency.h`. Without flags it returns false instead of
// trapping.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(struct cbr_executor executor,
                                                                      uintptr_t flags);

bool cbr_executor_is_current(struct cbr_executor executor) {
  return swift_task_isCurrentExecutorWithFlags(executor, 0);
}
