// What libdispatch tells of its queues and of the blocks that it made. The program need not have
// libdispatch.
#pragma once

#include <stdbool.h>

#pragma clang assume_nonnull begin

// The label of a queue, or for NULL of the one that the thread runs: valid while the queue is. NULL
// if there is none, or if the program has no libdispatch.
const char *_Nullable cbr_label_of_queue(const void *_Nullable queue);

// Whether a block that `dispatch_block_create` made was cancelled.
bool cbr_dispatch_block_is_cancelled(const void *_Nullable block);

#pragma clang assume_nonnull end
