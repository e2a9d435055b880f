// One pointer a thread. Swift has no thread-local storage of its own.
#pragma once

void *cbr_thread_slot_get(void);
void cbr_thread_slot_set(void *value);
