#include "CBRThreadSlot.h"

static _Thread_local void *slot;

void *cbr_thread_slot_get(void) { return slot; }
void cbr_thread_slot_set(void *value) { slot = value; }
