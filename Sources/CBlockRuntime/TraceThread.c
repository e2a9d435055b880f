#define _GNU_SOURCE
#include "CBRTraceThread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local struct cbr_trace_thread cbr_trace_this_thread;

// The one thread of a forked child has another number than the thread that forked.
static void forget_number(void) { cbr_trace_this_thread.number = 0; }

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_number); }

int32_t cbr_trace_ask_number(struct cbr_trace_thread *thread) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  thread->number = (int32_t)syscall(SYS_gettid);
  return thread->number;
}
