#include "CBRExecutors.h"

// Swift's `include/swift/Runtime/Concurrency.h`. Without flags a no is answered, not trapped.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(struct cbr_executor executor,
                                                                      uintptr_t flags);

bool cbr_executor_is_current(struct cbr_executor executor) {
  return swift_task_isCurrentExecutorWithFlags(executor, 0);
}
