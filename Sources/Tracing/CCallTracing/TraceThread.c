#define _GNU_SOURCE
#include "CBRTraceThread.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "CBRTraceTime.h"

_Thread_local struct cbr_trace_thread cbr_trace_this_thread;

bool cbr_trace_is_forked;
int32_t cbr_trace_process;

static void in_forked_child(void) {
  OWN_CALLS;
  cbr_trace_is_forked = true;
  cbr_trace_process = getpid();
  cbr_trace_this_thread.number = 0;
  cbr_trace_this_thread.introduced_to = 0;
  cbr_trace_time_in_child();
}

static void watch_forks(void) {
  cbr_trace_process = getpid();
  pthread_atfork(NULL, NULL, in_forked_child);
}

void cbr_trace_watch_forks(void) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
}

int32_t cbr_trace_ask_number(struct cbr_trace_thread *thread) {
  OWN_CALLS;
  thread->number = (int32_t)syscall(SYS_gettid);
  return thread->number;
}

size_t cbr_trace_name_thread(struct cbr_trace_name *name) {
  OWN_CALLS;
  prctl(PR_GET_NAME, name->bytes);
  return strlen(name->bytes);
}
