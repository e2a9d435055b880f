#define _GNU_SOURCE
#include "CBRForkGate.h"

#include <pthread.h>
#include <time.h>

#include "CBROwnCalls.h"

// Writers first: a waiting fork precedes threads that enter later.
#define GATE PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP

static pthread_rwlock_t gate = GATE;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_lost;
static _Thread_local bool is_closed;

// A longer wait is taken for a deadlock with a thread that waits for what this one holds.
static struct timespec latest(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1;
  return time;
}

static void before_fork(void) {
  OWN_CALLS;
  struct timespec until = latest();
  is_closed = pthread_rwlock_timedwrlock(&gate, &until) == 0;
}

static void after_fork(void) {
  OWN_CALLS;
  if (is_closed) pthread_rwlock_unlock(&gate);
}

static void in_forked_child(void) {
  if (!is_closed) is_lost = true;
  gate = (pthread_rwlock_t)GATE;
}

static void prepare(void) { pthread_atfork(before_fork, after_fork, in_forked_child); }

bool cbr_fork_gate_enter(void) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  if (is_lost) return false;
  if (pthread_rwlock_tryrdlock(&gate) == 0) return true;
  struct timespec until = latest();
  return pthread_rwlock_timedrdlock(&gate, &until) == 0;
}

void cbr_fork_gate_leave(void) {
  OWN_CALLS;
  pthread_rwlock_unlock(&gate);
}
