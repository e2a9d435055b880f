// What libdispatch tells of its queues and of the blocks that it made. The program need not have libdispatch.
#pragma once

#include <stdbool.h>

#pragma clang assume_nonnull begin

// A queue's label, which may be NULL and is valid while the queue is.
const char *_Nullable cbr_label_of_queue(const void *queue);

// Whether a block that `dispatch_block_create` made was cancelled.
bool cbr_dispatch_block_is_cancelled(const void *_Nullable block);

#pragma clang assume_nonnull end
