// The state of a thread for the tracers of the process.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CBRAddressTable.h"

#pragma clang assume_nonnull begin

enum { CBR_TRACE_PLACES = 16 };

struct cbr_trace_depth {
  // The tracer whose calls are counted.
  uint32_t tracer;
  int32_t calls;
};

struct cbr_trace_thread {
  // The queue that is delivering records on the thread.
  const void *_Nullable delivering;
  // The kernel's number of the thread, 0 until it was first read.
  int32_t number;
  // The number of the stream that knows the thread's name.
  uint32_t introduced_to;
  // The number of the Swift task that the thread runs; 0 for none.
  uint64_t task;
  // The queue that the thread was last seen to run, its number, and the table that has that number
  // with the table's epoch then.
  const void *_Nullable queue;
  const struct cbr_address_table *_Nullable queues;
  uint32_t queue_epoch;
  uint32_t queue_number;
  // For each place, the number of calls in progress of its tracer.
  struct cbr_trace_depth depths[CBR_TRACE_PLACES];
};

extern _Thread_local struct cbr_trace_thread cbr_trace_this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Whether the process is the child of a fork: it lacks the threads that deliver records, and locks
// may be held forever by threads that it lacks.
extern bool cbr_trace_is_forked __attribute__((visibility("hidden")));

// The process, valid once forks are watched.
extern int32_t cbr_trace_process __attribute__((visibility("hidden")));

// Starts to notice forks.
void cbr_trace_watch_forks(void);

// Asks the kernel for the thread's number.
int32_t cbr_trace_ask_number(struct cbr_trace_thread *thread);

// A thread's name, with a zero at the end.
struct cbr_trace_name {
  char bytes[16];
};

// Asks the kernel for the current thread's name, and returns its length.
size_t cbr_trace_name_thread(struct cbr_trace_name *name);

static inline struct cbr_trace_thread *cbr_trace_thread_current(void) {
  return &cbr_trace_this_thread;
}

static inline bool cbr_trace_is_in_fork(void) { return cbr_trace_is_forked; }

static inline int32_t cbr_trace_process_number(void) { return cbr_trace_process; }

static inline int32_t cbr_trace_thread_number(struct cbr_trace_thread *thread) {
  return __builtin_expect(thread->number != 0, 1) ? thread->number : cbr_trace_ask_number(thread);
}

// The count of a tracer. It restarts at 0 if another tracer had the place before, because calls of
// that one may never have ended.
static inline int32_t *cbr_trace_depth(struct cbr_trace_thread *thread, int32_t place,
                                       uint32_t tracer) {
  struct cbr_trace_depth *depth = &thread->depths[place & (CBR_TRACE_PLACES - 1)];
  if (__builtin_expect(depth->tracer != tracer, 0))
    *depth = (struct cbr_trace_depth){tracer, 0};
  return &depth->calls;
}

// The queue that the thread runs, a root queue of libdispatch if it runs none.
void *dispatch_get_current_queue(void);

enum { CBR_TRACE_NEW_QUEUE = UINT32_MAX };

// The number in `queues` of the queue that the current thread runs, 0 if it runs none;
// CBR_TRACE_NEW_QUEUE if it is not there.
static inline uint32_t cbr_trace_current_queue(struct cbr_trace_thread *thread,
                                               const struct cbr_address_table *queues) {
  const void *queue = dispatch_get_current_queue();
  uint32_t epoch = atomic_load_explicit(&queues->epoch, memory_order_acquire);
  if (__builtin_expect(thread->queue == queue && thread->queues == queues && thread->queue_epoch == epoch, 1))
    return thread->queue_number;
  uint64_t word = cbr_address_word(queues, (uintptr_t)queue);
  if (word == 0) return CBR_TRACE_NEW_QUEUE;
  uint32_t number = (uint32_t)word;
  thread->queue = queue;
  thread->queues = queues;
  thread->queue_epoch = epoch;
  thread->queue_number = number;
  return number;
}

#pragma clang assume_nonnull end
