#include "CBRQueues.h"

#include <stdint.h>

#include "CBROwnCalls.h"

// Declared here because the headers of libdispatch need blocks.
extern const char *dispatch_queue_get_label(const void *queue) __attribute__((weak));
extern intptr_t dispatch_block_testcancel(const void *block) __attribute__((weak));

const char *cbr_label_of_queue(const void *queue) {
  OWN_CALLS;
  return dispatch_queue_get_label ? dispatch_queue_get_label(queue) : 0;
}

bool cbr_dispatch_block_is_cancelled(const void *block) {
  OWN_CALLS;
  return block && dispatch_block_testcancel && dispatch_block_testcancel(block) != 0;
}
