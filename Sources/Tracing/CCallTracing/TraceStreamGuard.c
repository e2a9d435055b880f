#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

#include "CBROwnCalls.h"
#include "CBRTraceStream.h"

// The memory of the stream that the thread reads.
static _Thread_local char *guarded __attribute__((tls_model("initial-exec")));
static _Thread_local size_t guarded_size __attribute__((tls_model("initial-exec")));

static struct sigaction former;

// An access to a file's memory behind its end. The mapping is replaced by zeroes, and the access
// repeated.
static void replace_memory(int number, siginfo_t *information, void *context) {
  (void)context;
  int error = errno;
  if (guarded && (size_t)((char *)information->si_addr - guarded) < guarded_size &&
      mmap(guarded, guarded_size, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED) {
    errno = error;
    return;
  }
  sigaction(number, &former, NULL);
  // A signal that was sent does not come again by itself.
  if (information->si_code <= 0) raise(number);
  errno = error;
}

static void watch(void) {
  struct sigaction action = {.sa_sigaction = replace_memory,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &former);
}

void cbr_trace_stream_guard(const struct cbr_trace_stream *stream) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
  guarded_size = (size_t)(stream->ring - (char *)stream->header) + 2 * stream->capacity;
  guarded = (char *)stream->header;
}

void cbr_trace_stream_unguard(void) { guarded = NULL; }
