#define _GNU_SOURCE
#include "CBRTraceStream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, VERSION = 1, NAME_SIZE = 16, PROCESS_LIMIT = 512 };

static const uint64_t STREAM_MAGIC = 0x3143617254524243;  // "CBRTraC1"
static const uint64_t RECORD_MAGIC = 0xC0B10CA1;
static const uint64_t CAPACITY_LIMIT = (uint64_t)1 << 32;

// The first page of a stream. What writers and reader change lies in cache lines of their own.
struct cbr_trace_header {
  uint64_t magic;
  uint32_t version;
  uint64_t capacity;
  char name[NAME_SIZE];
  _Alignas(64) _Atomic uint64_t head;
  _Atomic uint64_t dropped;
  _Atomic uint32_t numbers;
  _Alignas(64) _Atomic uint64_t tail;
  // The process that created the stream, and its forks; the oldest make room for the latest.
  _Alignas(64) _Atomic uint32_t process_count;
  _Atomic int32_t processes[PROCESS_LIMIT];
};

// A record: its size with this word below the magic once it is finished, 0 before; then the body.
typedef _Atomic uint64_t record_word;
enum { WORD = sizeof(record_word) };

static uint64_t record_size(uint64_t body) {
  return (WORD + body + WORD - 1) & ~(uint64_t)(WORD - 1);
}

static record_word *at(const struct cbr_trace_stream *stream, uint64_t place) {
  return (record_word *)((char *)stream->header + PAGE + place % stream->capacity);
}

// MARK: Processes

// Where the children of this process make themselves known.
static struct cbr_trace_header *_Atomic followed;

static void add_process(void) {
  struct cbr_trace_header *header = atomic_load(&followed);
  if (!header) return;
  uint32_t index = atomic_fetch_add(&header->process_count, 1);
  atomic_store(&header->processes[index % PROCESS_LIMIT], getpid());
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, add_process); }

uint32_t cbr_trace_stream_process_count(const struct cbr_trace_stream *stream) {
  return atomic_load(&stream->header->process_count);
}

int32_t cbr_trace_stream_process(const struct cbr_trace_stream *stream, uint32_t index) {
  return atomic_load(&stream->header->processes[index % PROCESS_LIMIT]);
}

// MARK: Mapping

static int map(struct cbr_trace_stream *stream, int file, uint64_t capacity) {
  size_t once = PAGE + capacity, all = once + capacity;
  char *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return errno;
  int access = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED;
  if (mmap(base, once, access, flags, file, 0) == MAP_FAILED ||
      mmap(base + once, capacity, access, flags, file, PAGE) == MAP_FAILED) {
    int error = errno;
    munmap(base, all);
    return error;
  }
  stream->header = (struct cbr_trace_header *)base;
  stream->capacity = capacity;
  return 0;
}

void cbr_trace_stream_close(struct cbr_trace_stream *stream) {
  if (!stream->header) return;
  struct cbr_trace_header *header = stream->header;
  atomic_compare_exchange_strong(&followed, &header, NULL);
  munmap(stream->header, PAGE + 2 * stream->capacity);
  stream->header = NULL;
}

// Gives the file its size and, where the file system can, its memory: writing to a hole of a full
// disk would end the process.
static int allocate(int file, uint64_t size) {
  struct rlimit limit;
  // Beyond this limit the process would get a signal.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) return EFBIG;
  if (fallocate(file, 0, 0, (off_t)size) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  return ftruncate(file, (off_t)size) == 0 ? 0 : errno;
}

static int fill(struct cbr_trace_stream *stream, int file, const char *made, uint64_t capacity) {
  int error = allocate(file, PAGE + capacity);
  if (error == 0) error = map(stream, file, capacity);
  if (error) return error;
  struct cbr_trace_header *header = stream->header;
  header->magic = STREAM_MAGIC;
  header->version = VERSION;
  header->capacity = capacity;
  prctl(PR_GET_NAME, header->name);
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  atomic_store(&followed, header);
  add_process();
  // The reader takes every file of this ending as complete.
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
  static _Atomic uint32_t created;
  *stream = (struct cbr_trace_stream){.number = atomic_fetch_add(&created, 1) + 1};
  capacity = (capacity + PAGE - 1) & ~(uint64_t)(PAGE - 1);
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

int cbr_trace_stream_open(struct cbr_trace_stream *stream, const char *path) {
  *stream = (struct cbr_trace_stream){0};
  // Not a pipe, which would be waited for.
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno;
  struct stat status;
  int error = fstat(file, &status) == 0 ? 0 : errno;
  uint64_t capacity = (uint64_t)status.st_size - PAGE;
  if (!error && (!S_ISREG(status.st_mode) || status.st_size <= PAGE || capacity % PAGE != 0 ||
                 capacity > CAPACITY_LIMIT))
    error = EINVAL;
  if (!error) error = map(stream, file, capacity);
  close(file);
  if (error) return error;
  struct cbr_trace_header *header = stream->header;
  if (header->magic != STREAM_MAGIC || header->version != VERSION || header->capacity != capacity) {
    cbr_trace_stream_close(stream);
    return EINVAL;
  }
  stream->tail = atomic_load(&header->tail);
  if (stream->tail % WORD == 0) return 0;
  cbr_trace_stream_close(stream);
  return EINVAL;
}

void cbr_trace_stream_name(const struct cbr_trace_stream *stream, char *name) {
  memcpy(name, stream->header->name, NAME_SIZE);
  name[NAME_SIZE - 1] = 0;
}

// MARK: Writing

uint32_t cbr_trace_stream_take_number(const struct cbr_trace_stream *stream) {
  return atomic_fetch_add_explicit(&stream->header->numbers, 1, memory_order_relaxed) + 1;
}

void *cbr_trace_stream_reserve(const struct cbr_trace_stream *stream, uint64_t body, bool is_urgent,
                               uint64_t *place) {
  struct cbr_trace_header *header = stream->header;
  uint64_t size = record_size(body);
  uint64_t room = is_urgent ? stream->capacity : stream->capacity - stream->capacity / 8;
  while (true) {
    // In this order, so that the head is not behind the tail.
    uint64_t tail = atomic_load_explicit(&header->tail, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&header->head, memory_order_relaxed);
    if (size > room || head - tail > room - size) return NULL;
    if (atomic_compare_exchange_weak_explicit(&header->head, &head, head + size,
                                              memory_order_acq_rel, memory_order_relaxed)) {
      *place = head + 1;
      return at(stream, head) + 1;
    }
  }
}

void cbr_trace_stream_commit(void *body, uint64_t size) {
  record_word *word = (record_word *)body - 1;
  atomic_store_explicit(word, RECORD_MAGIC << 32 | record_size(size), memory_order_release);
}

void cbr_trace_stream_drop(const struct cbr_trace_stream *stream) {
  atomic_fetch_add_explicit(&stream->header->dropped, 1, memory_order_relaxed);
}

uint64_t cbr_trace_stream_dropped(const struct cbr_trace_stream *stream) {
  return atomic_load_explicit(&stream->header->dropped, memory_order_relaxed);
}

// MARK: Reading

static void give_back(struct cbr_trace_stream *stream, uint64_t size) {
  // Writers count on zeroes.
  memset(at(stream, stream->tail), 0, size);
  stream->tail += size;
  atomic_store_explicit(&stream->header->tail, stream->tail, memory_order_release);
}

static bool is_finished(uint64_t word, uint64_t left) {
  uint64_t size = (uint32_t)word;
  return word >> 32 == RECORD_MAGIC && size % WORD == 0 && size >= 2 * WORD && size <= left;
}

enum cbr_trace_next cbr_trace_stream_next(struct cbr_trace_stream *stream, bool passes_over,
                                          const void **body, uint64_t *size, uint64_t *place) {
  while (true) {
    uint64_t head = atomic_load_explicit(&stream->header->head, memory_order_acquire);
    uint64_t left = head - stream->tail;
    if (left == 0) return CBR_TRACE_NOTHING;
    if (left > stream->capacity || left % WORD != 0) return CBR_TRACE_DAMAGED;
    record_word *next = at(stream, stream->tail);
    uint64_t word = atomic_load_explicit(next, memory_order_acquire);
    if (is_finished(word, left)) {
      *body = next + 1;
      *size = (uint32_t)word - WORD;
      *place = stream->tail + 1;
      return CBR_TRACE_RECORD;
    }
    if (!passes_over) return word == 0 ? CBR_TRACE_UNFINISHED : CBR_TRACE_DAMAGED;
    give_back(stream, WORD);
  }
}

void cbr_trace_stream_consume(struct cbr_trace_stream *stream, uint64_t size) {
  give_back(stream, record_size(size));
}
