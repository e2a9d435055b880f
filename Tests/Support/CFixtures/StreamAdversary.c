#include "CFixtures.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Where a stream has what its writers and its reader change.
enum { HEAD = 64, TAIL = 128 };

struct stream {
  int file;
  size_t size, page, capacity;
  char *memory;
};

static uint64_t state;

static uint64_t some(uint64_t bound) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % bound;
}

static uint64_t extreme(void) {
  static const uint64_t numbers[] = {0, 1, 8, 16, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 7, UINT64_MAX};
  return numbers[some(8)];
}

static _Atomic uint64_t *word(const struct stream *stream, size_t offset) {
  return (_Atomic uint64_t *)(stream->memory + offset);
}

// Appends a copy of some bytes as a program does.
static void append(const struct stream *stream, const char *bytes, size_t size) {
  uint64_t tail = atomic_load(word(stream, TAIL));
  for (size_t place = 0; place < size; place++)
    stream->memory[stream->page + (tail + place) % stream->capacity] = bytes[place];
  atomic_store(word(stream, HEAD), tail + size);
}

static void change(const struct stream *stream, const char *bytes, size_t size) {
  uint64_t tail = atomic_load(word(stream, TAIL)) & ~(uint64_t)7;
  size_t next = stream->page + (size_t)(tail % stream->capacity);
  size_t near = stream->page + (size_t)((tail + some(size)) % stream->capacity);
  switch (some(16)) {
    case 0: atomic_store(word(stream, HEAD), extreme() & ~(uint64_t)7); break;
    case 1: atomic_store(word(stream, HEAD), tail + 8 * some(64)); break;
    case 2: atomic_store(word(stream, next), some(2) ? 0 : extreme()); break;
    // Records that are begun, or finished, by any process and of any size.
    case 3: atomic_store(word(stream, next), (uint64_t)0xC0B << 52 | some((uint64_t)1 << 52)); break;
    case 4: atomic_store(word(stream, next), (uint64_t)0xC0B << 52 | some(1 << 22) << 30 | some(64)); break;
    case 5: atomic_store(word(stream, next), (uint64_t)0xCA1 << 52 | some(64)); break;
    case 6: stream->memory[8 * some(32)] = (char)some(256); break;
    case 7: memset(stream->memory + (near & ~(size_t)7), some(2) ? 0xFF : (int)some(16), 8); break;
    case 8: stream->memory[near] = (char)some(256); break;
    case 9:
      if (some(4000) == 0 && ftruncate(stream->file, (off_t)some(stream->size)) == 0)
        (void)!ftruncate(stream->file, (off_t)stream->size);
      break;
    default: append(stream, bytes, size); break;
  }
}

static struct stream open_stream(const char *path) {
  struct stream stream = {.file = open(path, O_RDWR), .page = (size_t)sysconf(_SC_PAGESIZE)};
  stream.size = (size_t)lseek(stream.file, 0, SEEK_END);
  stream.capacity = stream.size - stream.page;
  stream.memory = mmap(NULL, stream.size, PROT_READ | PROT_WRITE, MAP_SHARED, stream.file, 0);
  return stream;
}

void fixture_attack_stream(const char *path, const void *bytes, unsigned long size, uint64_t seed) {
  struct stream stream = open_stream(path);
  state = seed * 2 + 1;
  // Where it cut the file, this process ends without a report.
  signal(SIGBUS, SIG_DFL);
  while (1) change(&stream, bytes, size);
}

void fixture_reserve_stream(const char *path) {
  struct stream stream = open_stream(path);
  while (1) atomic_store(word(&stream, HEAD), atomic_load(word(&stream, TAIL)) + stream.capacity);
}

void fixture_grow_stream(const char *path, const void *bytes, unsigned long size) {
  struct stream stream = open_stream(path);
  while (1) {
    uint64_t head = atomic_load(word(&stream, HEAD)), tail = atomic_load(word(&stream, TAIL));
    if (head - tail > stream.capacity - size) continue;
    for (size_t place = 0; place < size; place++)
      stream.memory[stream.page + (head + place) % stream.capacity] = ((const char *)bytes)[place];
    atomic_store(word(&stream, HEAD), head + size);
  }
}
