#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "CBRForkGate.h"
#include "CBROwnCalls.h"
#include "TraceSwitch.h"

static struct cbr_trace_switch *control;
static struct cbr_trace_listener listener;

// The word that was in the switch when this process, or the one from which it was forked, last did what it asks.
static uint32_t done;

// Symbols are searched on this thread, and names demangled.
static const size_t STACK_SIZE = (size_t)2 << 20;

// Set for a process's first thread, whose end it tells of: not of the process's end.
static pthread_key_t first_thread;
static _Atomic bool has_first_thread_ended;

static void first_thread_ends(void *unused) {
  (void)unused;
  OWN_CALLS;
  atomic_store(&has_first_thread_ended, true);
  cbr_trace_switch_wake(control);
}

// A process whose first thread has ended ends with its last one, but for the one that listens: as `start_thread`
// in the C library does, that ends it. The kernel counts the first one until then.
static void end_with_last_thread(void) {
  struct stat status;
  if (stat("/proc/self/task", &status) != 0 || status.st_nlink != 2 + 2) return;
  // What runs at exit is the user's code.
  cbr_end_ignoring();
  exit(EXIT_SUCCESS);
}

static void turn(uint32_t word) {
  // Forks wait, so that the child finds no lock of the library taken, and all slots alike.
  while (!cbr_fork_gate_enter()) {}
  listener.turn(listener.context, cbr_position_in(word));
  done = word;
  cbr_fork_gate_leave();
}

static void *listen_on_thread(void *unused) {
  // For good: the thread's calls are the library's own.
  cbr_begin_ignoring();
  prctl(PR_SET_NAME, "hook-demo");
  while (true) {
    uint32_t word = atomic_load(&control->word);
    if (word != done) {
      turn(word);
      atomic_fetch_add(&control->answers, 1);
      continue;
    }
    bool is_left = atomic_load(&has_first_thread_ended);
    bool is_traced = cbr_position_in(done) != CBR_TRACE_IDLE;
    cbr_trace_switch_wait(control, word, is_left ? 100 : is_traced ? 1000 : 0);
    if (is_left) end_with_last_thread();
    // Nobody will turn the switch any more.
    if (is_traced && !listener.is_collected(listener.context)) {
      uint32_t idle = (word >> POSITION_BITS) << POSITION_BITS | CBR_TRACE_IDLE;
      turn(idle);
      atomic_compare_exchange_strong(&control->word, &word, idle);
    }
  }
  return unused;
}

static int start_thread(void) {
  pthread_setspecific(first_thread, &control);
  sigset_t all, before;
  sigfillset(&all);
  // The thread inherits the mask: no signal of the program's comes to it.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, listen_on_thread, NULL);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!error) atomic_fetch_add(&control->listeners, 1);
  return error;
}

static void in_forked_child(void) {
  OWN_CALLS;
  // The child stays as it is if the fork came in the middle of a turn, or while another thread loaded objects: the
  // child's loader is not in order then, and would end the process when it is asked.
  if (_r_debug.r_state != RT_CONSISTENT || !cbr_fork_gate_enter()) return;
  cbr_fork_gate_leave();
  atomic_store(&has_first_thread_ended, false);
  start_thread();
}

int cbr_trace_listen(struct cbr_trace_switch *opened, struct cbr_trace_listener functions) {
  OWN_CALLS;
  control = opened;
  listener = functions;
  int error = pthread_key_create(&first_thread, first_thread_ends);
  if (error) return error;
  // The gate's own handlers of forks come first.
  if (cbr_fork_gate_enter()) cbr_fork_gate_leave();
  pthread_atfork(NULL, NULL, in_forked_child);
  // A program that starts while others are traced is traced from its beginning.
  uint32_t word = atomic_load(&control->word);
  if (cbr_position_in(word) == CBR_TRACE_ON) listener.turn(listener.context, CBR_TRACE_ON);
  done = word;
  return start_thread();
}
