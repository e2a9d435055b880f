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

#include "CBROwnCalls.h"

enum { VERSION = 3, NAME_SIZE = 16, PROCESS_LIMIT = 512 };

static const uint64_t STREAM_MAGIC = 0x3143617254524243;  // "CBRTraC1"
static const uint64_t CAPACITY_LIMIT = (uint64_t)1 << 32;

// The header has the first page of a stream. The fields that writers and the reader change are in separate
// cache lines.
struct cbr_trace_header {
  uint64_t magic;
  uint32_t version;
  uint64_t capacity;
  char name[NAME_SIZE];
  _Alignas(64) _Atomic uint64_t head;
  _Atomic uint64_t dropped;
  // How many records of any kind found no room.
  _Atomic uint32_t gaps;
  _Atomic uint32_t numbers;
  _Alignas(64) _Atomic uint64_t tail;
  // The process that created the stream, and its forks; the latest overwrite the oldest.
  _Alignas(64) _Atomic uint32_t process_count;
  _Atomic int32_t processes[PROCESS_LIMIT];
};

// A record is a word, followed by the body. The word is 0 until the record's writer has stored what it
// reserved, within the next instructions; then it has a mark, the writer's process and the record's size in
// words.
typedef _Atomic uint64_t record_word;
enum { WORD = sizeof(record_word), SIZE_BITS = 30, PROCESS_BITS = 22 };

static const uint64_t RESERVED = (uint64_t)0xC0B << (SIZE_BITS + PROCESS_BITS);
static const uint64_t FINISHED = (uint64_t)0xCA1 << (SIZE_BITS + PROCESS_BITS);
static const uint64_t MARK = (uint64_t)0xFFF << (SIZE_BITS + PROCESS_BITS);
_Static_assert(12 + SIZE_BITS + PROCESS_BITS == 64, "mark, process and size fill a word");

static uint64_t record_size(uint64_t body) {
  return (WORD + body + WORD - 1) & ~(uint64_t)(WORD - 1);
}

static uint64_t noted_size(uint64_t word) {
  return (word & (((uint64_t)1 << SIZE_BITS) - 1)) * WORD;
}

static int32_t noted_process(uint64_t word) {
  return (int32_t)(word >> SIZE_BITS & ((1u << PROCESS_BITS) - 1));
}

static record_word *at(const struct cbr_trace_stream *stream, uint64_t place) {
  // A division takes as long as all else that a writer does.
  uint64_t offset = stream->mask ? place & stream->mask : place % stream->capacity;
  return (record_word *)(stream->ring + offset);
}

// MARK: Processes

// The stream to which the children of this process add themselves.
static struct cbr_trace_header *_Atomic followed;

static void add_process(void) {
  OWN_CALLS;
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
  struct cbr_trace_header *header = stream->header;
  atomic_compare_exchange_strong(&followed, &header, NULL);
  munmap(stream->header, (size_t)(stream->ring - (char *)stream->header) + 2 * stream->capacity);
  stream->header = NULL;
  stream->ring = NULL;
}

// Sets the file's size and, if the file system can, allocates its memory: a write to a hole on a full disk
// would end the process.
static int allocate(int file, uint64_t size) {
  struct rlimit limit;
  // Beyond this limit the process would receive a signal.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) return EFBIG;
  if (fallocate(file, 0, 0, (off_t)size) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  return ftruncate(file, (off_t)size) == 0 ? 0 : errno;
}

static int fill(struct cbr_trace_stream *stream, int file, const char *made, uint64_t capacity) {
  int error = allocate(file, page_size() + capacity);
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

int cbr_trace_stream_open(struct cbr_trace_stream *stream, const char *path) {
  OWN_CALLS;
  *stream = (struct cbr_trace_stream){0};
  // Does not block on a pipe.
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
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
                               int32_t process, uint64_t *place) {
  struct cbr_trace_header *header = stream->header;
  uint64_t size = record_size(body);
  uint64_t room = is_urgent ? stream->capacity : stream->capacity - stream->capacity / 8;
  while (true) {
    // In this order, so that the head is never before the tail; acquired, so that the reader's zeroes are
    // there before what this writes.
    uint64_t tail = atomic_load_explicit(&header->tail, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&header->head, memory_order_relaxed);
    if (size > room || head - tail > room - size) return NULL;
    if (atomic_compare_exchange_weak_explicit(&header->head, &head, head + size,
                                              memory_order_acq_rel, memory_order_relaxed)) {
      *place = head + 1;
      record_word *word = at(stream, head);
      uint64_t owner = (uint64_t)process & ((1u << PROCESS_BITS) - 1);
      atomic_store_explicit(word, RESERVED | owner << SIZE_BITS | size / WORD,
                            memory_order_relaxed);
      // Before the body, because only this word lets the reader skip the record of a process that died. Of a
      // dead process all stores are visible, so the compiler's order suffices.
      atomic_signal_fence(memory_order_seq_cst);
      return word + 1;
    }
  }
}

// The release store pairs with the reader's acquire load, so that the reader sees the whole body.
void cbr_trace_stream_commit(void *body) {
  record_word *word = (record_word *)body - 1;
  uint64_t reserved = atomic_load_explicit(word, memory_order_relaxed);
  atomic_store_explicit(word, (reserved & ~MARK) | FINISHED, memory_order_release);
}

void cbr_trace_stream_drop(const struct cbr_trace_stream *stream) {
  atomic_fetch_add_explicit(&stream->header->dropped, 1, memory_order_relaxed);
  cbr_trace_stream_leave_gap(stream);
}

void cbr_trace_stream_leave_gap(const struct cbr_trace_stream *stream) {
  atomic_fetch_add(&stream->header->gaps, 1);
}

uint32_t cbr_trace_stream_gaps(const struct cbr_trace_stream *stream) {
  return atomic_load(&stream->header->gaps);
}

uint64_t cbr_trace_stream_dropped(const struct cbr_trace_stream *stream) {
  return atomic_load_explicit(&stream->header->dropped, memory_order_relaxed);
}

// MARK: Reading

static void give_back(struct cbr_trace_stream *stream, uint64_t size) {
  // Writers rely on zeroes, which come before the tail.
  memset(at(stream, stream->tail), 0, size);
  stream->tail += size;
  atomic_store_explicit(&stream->header->tail, stream->tail, memory_order_release);
}

// Whether a word is that of a record with a mark, and its size lies within the reserved memory.
static bool is_noted(uint64_t word, uint64_t mark, uint64_t left) {
  uint64_t size = noted_size(word);
  return (word & MARK) == mark && size >= 2 * WORD && size <= left;
}

enum cbr_trace_next cbr_trace_stream_next(const struct cbr_trace_stream *stream,
                                          struct cbr_trace_part *part) {
  uint64_t head = atomic_load_explicit(&stream->header->head, memory_order_acquire);
  uint64_t left = head - stream->tail;
  if (left == 0) return CBR_TRACE_NOTHING;
  if (left > stream->capacity || left % WORD != 0) return CBR_TRACE_DAMAGED;
  record_word *next = at(stream, stream->tail);
  uint64_t word = atomic_load_explicit(next, memory_order_acquire);
  *part = (struct cbr_trace_part){
      .body = (char *)next + WORD, .place = stream->tail + 1, .process = noted_process(word)};
  if (word == 0 || is_noted(word, RESERVED, left)) return CBR_TRACE_UNFINISHED;
  if (!is_noted(word, FINISHED, left)) return CBR_TRACE_DAMAGED;
  part->size = noted_size(word) - WORD;
  return CBR_TRACE_RECORD;
}

void cbr_trace_stream_pass_over(struct cbr_trace_stream *stream) {
  uint64_t left = atomic_load_explicit(&stream->header->head, memory_order_acquire) - stream->tail;
  uint64_t word = atomic_load_explicit(at(stream, stream->tail), memory_order_acquire);
  // The record may have been finished since it was found.
  if (is_noted(word, RESERVED, left)) return give_back(stream, noted_size(word));
  for (; left != 0 && word == 0; left -= WORD) {
    give_back(stream, WORD);
    word = atomic_load_explicit(at(stream, stream->tail), memory_order_acquire);
  }
}

void cbr_trace_stream_consume(struct cbr_trace_stream *stream, uint64_t size) {
  give_back(stream, record_size(size));
}
