#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CBRForkGate.h"
#include "CBROwnCalls.h"
#include "TraceSwitch.h"

static struct cbr_trace_switch *control;
static struct cbr_trace_listener listener;

// The word that was in the switch when this process, or the one from which it was forked, last did
// what it asks.
static uint32_t done;

// Whether this process has become idle since, as nobody collects the trace.
static bool is_left;

// How often it is asked whether the first thread, of which the C library says that it ends, has
// ended.
enum { SHORTEST_WAIT = 100, LONGEST_WAIT = 10000 };

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

// Whether the kernel has ended the process's first thread. The C library destroys the thread's
// variables before, in which time libdispatch keeps that of `dispatch_main` for ever.
static bool is_first_thread_dead(void) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = 0;
  // The thread's name, which may have any bytes, is in brackets.
  const char *state = strrchr(text, ')');
  return state && state[1] == ' ' && state[2] == 'Z';
}

// A process whose first thread has ended ends with its last one, but for the one that listens: as
// `start_thread` in the C library does, that ends it. The kernel counts the first one until then.
//
// Returns in how many milliseconds to ask again.
static uint32_t end_with_last_thread(uint32_t milliseconds) {
  if (!is_first_thread_dead()) return milliseconds < LONGEST_WAIT ? 2 * milliseconds : milliseconds;
  struct stat status;
  if (stat("/proc/self/task", &status) != 0 || status.st_nlink != 2 + 2) return SHORTEST_WAIT;
  // What runs at exit is the user's code.
  cbr_end_ignoring();
  exit(EXIT_SUCCESS);
}

static void turn(uint32_t word) {
  // Forks wait, so that the child finds no lock of the library taken, and all slots alike.
  while (!cbr_fork_gate_enter()) {}
  if (!listener.turn(listener.context, cbr_position_in(word))) atomic_fetch_add(&control->failures, 1);
  done = word;
  is_left = false;
  cbr_fork_gate_leave();
}

// Nobody will turn the switch any more. Other processes find that themselves.
static void leave(void) {
  uint32_t word = done;
  turn(CBR_TRACE_IDLE);
  done = word;
  is_left = true;
}

static void *listen_on_thread(void *unused) {
  // For good: the thread's calls are the library's own.
  cbr_begin_ignoring();
  prctl(PR_SET_NAME, "hook-demo");
  uint32_t wait = SHORTEST_WAIT;
  while (true) {
    uint32_t word = atomic_load(&control->word);
    if (word != done) {
      turn(word);
      atomic_fetch_add(&control->answers, 1);
      continue;
    }
    bool is_ending = atomic_load(&has_first_thread_ended);
    bool is_traced = cbr_position_in(done) != CBR_TRACE_IDLE && !is_left;
    uint32_t second = is_traced ? 1000 : 0;
    cbr_trace_switch_wait(control, word, is_ending && (!second || wait < second) ? wait : second);
    if (is_ending) wait = end_with_last_thread(wait);
    if (is_traced && !listener.is_collected(listener.context)) leave();
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
  // The child stays as it is if the fork came in the middle of a turn, or while another thread
  // loaded objects: the child's loader is not in order then, and would end the process when it is
  // asked.
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
  if (cbr_position_in(word) == CBR_TRACE_ON) turn(word);
  done = word;
  return start_thread();
}
