#define _GNU_SOURCE
#include "CBRTraceCounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "TraceStreamLayout.h"

static int fill(int file, struct cbr_trace_counts header, const char *text, uint64_t **numbers) {
  uint64_t end = sizeof header + header.size * header.sets * sizeof(uint64_t), length = strlen(text);
  int error = cbr_trace_allocate(file, end + length);
  // The mapping keeps the lock when the file is closed, in forks too, until no process has the
  // mapping.
  if (error == 0 && flock(file, LOCK_SH) != 0) error = errno;
  if (error) return error;
  struct cbr_trace_counts *counts = mmap(NULL, end + length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts == MAP_FAILED) return errno;
  *counts = header;
  memcpy((char *)counts + end, text, length);
  *numbers = (uint64_t *)(counts + 1);
  return 0;
}

int cbr_trace_counts_create(const char *directory, uint64_t size, uint64_t sets, const char *text,
                            uint64_t **numbers) {
  OWN_CALLS;
  char made[PATH_MAX], name[PATH_MAX];
  int length = snprintf(made, sizeof made, "%s/XXXXXX.new", directory);
  if (length >= (int)(sizeof made - sizeof ".counts")) return ENAMETOOLONG;
  int file = mkostemps(made, (int)strlen(".new"), O_CLOEXEC);
  if (file < 0) return errno;
  struct cbr_trace_counts header = {CBR_TRACE_COUNTS_MAGIC, size, sets};
  int error = fill(file, header, text, numbers);
  snprintf(name, sizeof name, "%.*s.counts", length - (int)strlen(".new"), made);
  if (error == 0 && rename(made, name) != 0) error = errno;
  if (error) unlink(made);
  close(file);
  return error;
}
