#define _GNU_SOURCE
#include "CBRTimerThread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "CBRThreadStack.h"

enum { SECOND = 1000000000 };

uint64_t cbr_timer_now(void) {
  struct timespec now;
  // Cannot fail, so `errno` is not saved: each delay calls this.
  cbr_begin_ignoring();
  clock_gettime(CLOCK_MONOTONIC, &now);
  cbr_end_ignoring();
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static uint32_t forks;

static void in_forked_child(void) { __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, in_forked_child); }

void cbr_timer_watch_forks(void) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
}

uint32_t cbr_timer_forks(void) { return __atomic_load_n(&forks, __ATOMIC_RELAXED); }

struct start {
  void (*body)(void *);
  void *context;
};

static struct start take_start(struct start *given) {
  OWN_CALLS;
  struct start start = *given;
  free(given);
  pthread_setname_np(pthread_self(), "delayed blocks");
  return start;
}

static void *run(void *given) {
  struct start start = take_start(given);
  start.body(start.context);
  return NULL;
}

bool cbr_timer_thread_start(void (*body)(void *), void *context) {
  OWN_CALLS;
  struct start *start = malloc(sizeof *start);
  if (!start) return false;
  *start = (struct start){body, context};
  // Signals sent to the process are left to the program's threads. Signals that a thread raises
  // itself, by a fault, stay unblocked for the blocks that run here, and for the threads that those
  // start.
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
  sigset_t blocked, previous;
  sigfillset(&blocked);
  for (size_t index = 0; index < sizeof own / sizeof *own; index++) sigdelset(&blocked, own[index]);
  pthread_sigmask(SIG_SETMASK, &blocked, &previous);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  bool is_started = pthread_create(&thread, &attributes, run, start) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  if (!is_started) free(start);
  return is_started;
}

void cbr_timer_gate_wait(uint32_t *gate, uint32_t seen, uint64_t deadline) {
  OWN_CALLS;
  struct timespec until = {.tv_sec = (time_t)(deadline / SECOND), .tv_nsec = (long)(deadline % SECOND)};
  // The default slack of 50 µs would delay every wait. It is reset because threads that blocks
  // start would inherit the smaller one.
  prctl(PR_SET_TIMERSLACK, 1UL);
  // FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock.
  syscall(SYS_futex, gate, FUTEX_WAIT_BITSET_PRIVATE, seen, deadline == UINT64_MAX ? NULL : &until,
          NULL, FUTEX_BITSET_MATCH_ANY);
  prctl(PR_SET_TIMERSLACK, 0UL);
}

uint32_t cbr_timer_gate_read(uint32_t *gate) { return __atomic_load_n(gate, __ATOMIC_ACQUIRE); }

void cbr_timer_gate_open(uint32_t *gate) {
  OWN_CALLS;
  __atomic_add_fetch(gate, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, gate, FUTEX_WAKE_PRIVATE, 1);
}

struct run {
  struct run *outer;
  const void *block;
};

// The runs in progress on the calling thread, the innermost first.
static _Thread_local struct run *innermost;

uintptr_t cbr_timer_this_thread(void) { return (uintptr_t)&innermost; }

bool cbr_timer_run(const void *block, bool (*body)(const void *)) {
  struct run run = {innermost, block};
  innermost = &run;
  bool result = body(block);
  cbr_stack_list_remove(&innermost, &run);
  return result;
}

bool cbr_timer_is_running(const void *block) {
  for (const struct run *run = innermost; run; run = run->outer)
    if (run->block == block) return true;
  return false;
}
