// The executor and the task-local values of the calling code, asked for without trapping, and the
// values that wait for an actor's end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Swift's `UnownedSerialExecutor`.
struct cbr_executor {
  uintptr_t identity;
  uintptr_t implementation;
};

// Whether the calling code is isolated to the executor.
bool cbr_executor_is_current(struct cbr_executor executor);

// The executor to which the calling code is isolated, in a task; zeros if there is none.
struct cbr_executor cbr_executor_of_task(void);

// Declared in Swift's `include/swift/Runtime/Concurrency.h`.
__attribute__((swiftcall)) void *swift_task_localValueGet(const void *key);

// Whether the task or thread has a value for a key, which is the address of a `TaskLocal`.
static inline bool cbr_task_has_value(const void *key) {
  return swift_task_localValueGet(key) != NULL;
}

// The `ActorValues` of an actor, retained; NULL if the end of its deinit cannot be watched.
// Implemented by the module ObjectLifetimes, which lies above.
void *cbr_actor_values(const void *actor);
