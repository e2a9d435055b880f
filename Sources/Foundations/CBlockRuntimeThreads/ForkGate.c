#define _GNU_SOURCE
#include "CBRForkGate.h"

#include <pthread.h>
#include <time.h>

#include "CBROwnCalls.h"

// Writers first: a waiting fork precedes threads that enter later.
#define GATE PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP

static pthread_rwlock_t gate = GATE;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Whether this is the child of a fork that did not wait: other threads' sections were interrupted.
static bool is_lost;
// The sections that the thread is in.
static _Thread_local unsigned depth;
// The forks of the thread for which the gate is closed: handlers of a fork may fork, too.
static _Thread_local unsigned closings;

// The end of a wait: a longer one is taken for a deadlock with a thread that waits for this one.
static struct timespec latest(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 1;
  return time;
}

static void before_fork(void) {
  OWN_CALLS;
  if (closings) {
    closings++;
    return;
  }
  // The thread's own sections continue in the child.
  if (depth) pthread_rwlock_unlock(&gate);
  struct timespec until = latest();
  closings = pthread_rwlock_timedwrlock(&gate, &until) == 0;
  if (depth && !closings) pthread_rwlock_rdlock(&gate);
}

static void after_fork(void) {
  OWN_CALLS;
  if (!closings || --closings) return;
  pthread_rwlock_unlock(&gate);
  if (depth) pthread_rwlock_rdlock(&gate);
}

static void in_forked_child(void) {
  OWN_CALLS;
  if (closings) closings--;
  else is_lost = true;
  gate = (pthread_rwlock_t)GATE;
  if (closings) pthread_rwlock_wrlock(&gate);
  else if (depth) pthread_rwlock_rdlock(&gate);
}

static void prepare(void) { pthread_atfork(before_fork, after_fork, in_forked_child); }

static bool hold(void) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  if (is_lost) return false;
  if (pthread_rwlock_tryrdlock(&gate) == 0) return true;
  struct timespec until = latest();
  return pthread_rwlock_timedrdlock(&gate, &until) == 0;
}

static void release(void) {
  OWN_CALLS;
  pthread_rwlock_unlock(&gate);
}

bool cbr_fork_gate_enter(void) {
  if (!depth && !closings && !hold()) return false;
  depth++;
  return true;
}

void cbr_fork_gate_leave(void) {
  if (--depth == 0 && !closings) release();
}
