// Barriers that one thread makes for all threads of the process, so that the others need none.
#pragma once

#include <stdbool.h>

// Registers the process for `cbr_barrier`; false if the kernel has no such barrier.
bool cbr_barrier_register(void);

// Makes a full barrier in every running thread: membarrier(2), private and expedited. False if the
// kernel refuses, as under a seccomp filter that was installed after the registration.
bool cbr_barrier(void);

// Waits 10 ms, until the stores in the processors' store buffers are visible to other processors.
// Returns false if the kernel refuses the wait.
bool cbr_wait_for_stores(void);

// Orders what this thread has stored before the pointer to code that it stores next, for threads
// that load the pointer without any order, as compiled calls do: behind the pointer they find what
// this thread has stored. Does nothing on x86-64, where stores and loads are in order.
void cbr_publish_code(void);
