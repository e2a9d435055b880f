#include "CBRQueueAttributes.h"

// Declared here because the headers of libdispatch need blocks.
extern char _dispatch_queue_attr_concurrent __attribute__((weak));

const void *cbr_concurrent_attribute(void) { return &_dispatch_queue_attr_concurrent; }
