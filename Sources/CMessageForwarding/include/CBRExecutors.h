// Tests whether code runs on an actor, without trapping.
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
