#define _GNU_SOURCE
#include "CBRTraceStream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "CBRTraceProcesses.h"
#include "TraceStreamLayout.h"

static const uint64_t CAPACITY_LIMIT = (uint64_t)1 << 32;

// Both processes run on one kernel, and so have pages of one size.
static uint64_t page_size(void) {
  uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
  return size > sizeof(struct cbr_trace_header) ? size : sizeof(struct cbr_trace_header);
}

static int map(struct cbr_trace_stream *stream, int file, uint64_t capacity) {
  size_t page = page_size(), once = page + capacity, all = once + capacity;
  char *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return errno;
  int access = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED;
  if (mmap(base, once, access, flags, file, 0) == MAP_FAILED ||
      mmap(base + once, capacity, access, flags, file, (off_t)page) == MAP_FAILED) {
    int error = errno;
    munmap(base, all);
    return error;
  }
  stream->header = (struct cbr_trace_header *)base;
  stream->ring = base + page;
  stream->capacity = capacity;
  stream->mask = (capacity & (capacity - 1)) == 0 ? capacity - 1 : 0;
  return 0;
}

void cbr_trace_stream_close(struct cbr_trace_stream *stream) {
  if (!stream->header) return;
  OWN_CALLS;
  munmap(stream->header, (size_t)(stream->ring - (char *)stream->header) + 2 * stream->capacity);
  stream->header = NULL;
  stream->ring = NULL;
}

// Sets the file's size and, if the file system can, allocates its memory: a write to a hole on a
// full disk would end the process.
int cbr_trace_allocate(int file, uint64_t size) {
  OWN_CALLS;
  struct rlimit limit;
  // Beyond this limit the process would receive a signal.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) return EFBIG;
  if (fallocate(file, 0, 0, (off_t)size) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  return ftruncate(file, (off_t)size) == 0 ? 0 : errno;
}

static int fill(struct cbr_trace_stream *stream, int file, const char *made, uint64_t capacity) {
  int error = cbr_trace_allocate(file, page_size() + capacity);
  // The mapping keeps the lock when the file is closed, in forks too, until no process has the
  // mapping.
  if (error == 0 && flock(file, LOCK_SH) != 0) error = errno;
  if (error == 0) error = map(stream, file, capacity);
  if (error) return error;
  cbr_trace_stream_note_processes();
  struct cbr_trace_header *header = stream->header;
  header->magic = STREAM_MAGIC;
  header->version = VERSION;
  header->capacity = capacity;
  header->process = getpid();
  header->namespace = cbr_trace_namespace();
  prctl(PR_GET_NAME, header->name);
  ssize_t length = readlink("/proc/self/exe", header->program, PROGRAM_SIZE);
  if (length < 0 || length == PROGRAM_SIZE) header->program[0] = 0;
  // The reader takes every file with this ending for a complete one.
  char name[PATH_MAX];
  size_t stem = strlen(made) - strlen(".new");
  snprintf(name, sizeof name, "%.*s.trace", (int)stem, made);
  if (rename(made, name) == 0) return 0;
  error = errno;
  cbr_trace_stream_close(stream);
  return error;
}

int cbr_trace_stream_create(struct cbr_trace_stream *stream, const char *directory,
                            uint64_t capacity) {
  OWN_CALLS;
  static _Atomic uint32_t created;
  *stream = (struct cbr_trace_stream){.number = atomic_fetch_add(&created, 1) + 1};
  uint64_t page = page_size();
  capacity = (capacity + page - 1) & ~(page - 1);
  if (capacity == 0 || capacity > CAPACITY_LIMIT) return EINVAL;
  char made[PATH_MAX];
  int length = snprintf(made, sizeof made, "%s/XXXXXX.new", directory);
  if (length >= (int)(sizeof made - sizeof ".trace")) return ENAMETOOLONG;
  int file = mkostemps(made, (int)strlen(".new"), O_CLOEXEC);
  if (file < 0) return errno;
  int error = fill(stream, file, made, capacity);
  if (error) unlink(made);
  close(file);
  return error;
}

// Does not block on a pipe.
static int open_stream(const char *path) {
  return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int cbr_trace_stream_open(struct cbr_trace_stream *stream, const char *path) {
  OWN_CALLS;
  *stream = (struct cbr_trace_stream){0};
  int file = open_stream(path);
  if (file < 0) return errno;
  struct stat status;
  int error = fstat(file, &status) == 0 ? 0 : errno;
  uint64_t page = page_size(), capacity = (uint64_t)status.st_size - page;
  if (!error && (!S_ISREG(status.st_mode) || (uint64_t)status.st_size <= page || capacity % page != 0 ||
                 capacity > CAPACITY_LIMIT))
    error = EINVAL;
  if (!error) error = map(stream, file, capacity);
  close(file);
  if (error) return error;
  cbr_trace_stream_guard(stream);
  struct cbr_trace_header *header = stream->header;
  bool is_stream =
      header->magic == STREAM_MAGIC && header->version == VERSION && header->capacity == capacity;
  stream->process = header->process;
  memcpy(stream->name, header->name, NAME_SIZE);
  stream->name[NAME_SIZE - 1] = 0;
  memcpy(stream->program, header->program, PROGRAM_SIZE);
  stream->program[PROGRAM_SIZE - 1] = 0;
  stream->knows_processes = header->namespace != 0 && header->namespace == cbr_trace_namespace();
  stream->tail = atomic_load(&header->tail);
  cbr_trace_stream_unguard();
  if (is_stream && stream->tail % WORD == 0) return 0;
  cbr_trace_stream_close(stream);
  return EINVAL;
}

bool cbr_trace_stream_has_writer(const char *path) {
  OWN_CALLS;
  int file = open_stream(path);
  // The last one is of a socket.
  if (file < 0) return errno != ENOENT && errno != ENXIO;
  bool is_locked = flock(file, LOCK_EX | LOCK_NB) != 0;
  close(file);
  return is_locked;
}
