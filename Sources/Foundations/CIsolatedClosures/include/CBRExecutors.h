// The executor of the calling code, without trapping, and the end of actors.
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

// The executor to which the calling code is isolated, in a task; zeros if there is none.
struct cbr_executor cbr_executor_of_task(void);

// The `ActorValues` of an actor, retained; NULL if the end of its deinit cannot be watched. Implemented by the module
// ObjectLifetimes, which lies above.
void *cbr_actor_values(const void *actor);
