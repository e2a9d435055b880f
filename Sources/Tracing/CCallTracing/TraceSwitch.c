#define _GNU_SOURCE
#include "TraceSwitch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "TraceStreamLayout.h"

static int map(int file, struct cbr_trace_switch **result) {
  void *memory = mmap(NULL, sizeof **result, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return errno;
  *result = memory;
  return 0;
}

int cbr_trace_switch_create(const char *path, struct cbr_trace_switch **result) {
  OWN_CALLS;
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  int error = cbr_trace_allocate(file, sizeof **result);
  if (!error) error = map(file, result);
  if (error) unlink(path);
  close(file);
  return error;
}

int cbr_trace_switch_open(const char *path, struct cbr_trace_switch **result) {
  OWN_CALLS;
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno;
  struct stat status;
  int error = fstat(file, &status) == 0 ? 0 : errno;
  if (!error && status.st_size < (off_t)sizeof **result) error = EINVAL;
  // The mapping keeps the lock when the file is closed.
  if (!error && flock(file, LOCK_SH) != 0) error = errno;
  if (!error) error = map(file, result);
  close(file);
  return error;
}

void cbr_trace_switch_close(struct cbr_trace_switch *control) {
  OWN_CALLS;
  munmap(control, sizeof *control);
}

void cbr_trace_switch_wait(struct cbr_trace_switch *control, uint32_t word, uint32_t milliseconds) {
  OWN_CALLS;
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  // Not the private kind: the process that turns the switch is another one.
  syscall(SYS_futex, &control->word, FUTEX_WAIT, word, milliseconds ? &time : NULL, NULL, 0);
}

uint32_t cbr_trace_switch_wake(struct cbr_trace_switch *control) {
  OWN_CALLS;
  long woken = syscall(SYS_futex, &control->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  return woken > 0 ? (uint32_t)woken : 0;
}

uint32_t cbr_trace_switch_turn(struct cbr_trace_switch *control, uint32_t position) {
  OWN_CALLS;
  atomic_store(&control->answers, 0);
  atomic_store(&control->failures, 0);
  uint32_t count = (atomic_load(&control->word) >> POSITION_BITS) + 1;
  atomic_store(&control->word, count << POSITION_BITS | position);
  return cbr_trace_switch_wake(control);
}

uint32_t cbr_trace_switch_answers(const struct cbr_trace_switch *control) {
  return atomic_load(&control->answers);
}

uint32_t cbr_trace_switch_failures(const struct cbr_trace_switch *control) {
  return atomic_load(&control->failures);
}

uint32_t cbr_trace_switch_listeners(const struct cbr_trace_switch *control) {
  return atomic_load(&control->listeners);
}
