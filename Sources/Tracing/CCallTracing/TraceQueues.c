#include "CBRTraceQueues.h"

#include <stdbool.h>
#include <stddef.h>

#include "CBROwnCalls.h"

// Declared here because the headers of libdispatch need blocks.
extern struct dispatch_queue_s *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern const char *dispatch_queue_get_label(const void *queue);
extern unsigned int dispatch_queue_get_qos_class(const void *queue, int *relative_priority);
extern char _dispatch_main_q;

enum { DEFAULT = 0x15, OVERCOMMIT = 2 };

static const int qualities[] = {0x21, 0x19, DEFAULT, 0x11, 0x09, 0x05};

enum cbr_trace_queue_kind cbr_trace_queue_kind(const void *queue) {
  OWN_CALLS;
  if (queue == &_dispatch_main_q) return CBR_TRACE_QUEUE_SERIAL;
  if (queue == dispatch_get_global_queue(DEFAULT, OVERCOMMIT)) return CBR_TRACE_QUEUE_NONE;
  for (size_t index = 0; index < sizeof qualities / sizeof *qualities; index++) {
    if (queue == dispatch_get_global_queue(qualities[index], 0) ||
        queue == dispatch_get_global_queue(qualities[index], OVERCOMMIT))
      return CBR_TRACE_QUEUE_CONCURRENT;
  }
  return CBR_TRACE_QUEUE_UNKNOWN;
}

const void *cbr_trace_default_queue(void) {
  OWN_CALLS;
  return dispatch_get_global_queue(DEFAULT, 0);
}

const char *cbr_trace_queue_label(const void *queue) {
  OWN_CALLS;
  return dispatch_queue_get_label(queue);
}

uint32_t cbr_trace_queue_quality(const void *queue) {
  OWN_CALLS;
  return dispatch_queue_get_qos_class(queue, NULL);
}
