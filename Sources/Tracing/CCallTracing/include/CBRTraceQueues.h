// The properties of queues that libdispatch tells.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

enum cbr_trace_queue_kind {
  CBR_TRACE_QUEUE_UNKNOWN,
  CBR_TRACE_QUEUE_SERIAL,
  CBR_TRACE_QUEUE_CONCURRENT,
  CBR_TRACE_QUEUE_NONE,
};

// The kind of the main queue and of the global queues; unknown for others, which libdispatch does
// not tell. None for the queue that libdispatch names on threads that run none, to which no public
// function sends blocks.
enum cbr_trace_queue_kind cbr_trace_queue_kind(const void *queue);

// The global queue that libdispatch uses where none is named.
const void *_Nullable cbr_trace_default_queue(void);

// A queue's label, which may be NULL and is valid while the queue is.
const char *_Nullable cbr_trace_queue_label(const void *queue);

// A queue's quality of service, one of <sys/qos.h>; 0 if it has none of its own.
uint32_t cbr_trace_queue_quality(const void *queue);

#pragma clang assume_nonnull end
