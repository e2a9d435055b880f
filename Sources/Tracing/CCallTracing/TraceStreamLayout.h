// The memory of a stream.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "CBRTraceStream.h"

enum {
  VERSION = 6,
  NAME_SIZE = sizeof((struct cbr_trace_stream){0}.name),
  PROGRAM_SIZE = sizeof((struct cbr_trace_stream){0}.program)
};

static const uint64_t STREAM_MAGIC = 0x3143617254524243;  // "CBRTraC1"
// The header has the first page of a stream. The fields that writers and the reader change are in
// separate cache lines.
struct cbr_trace_header {
  uint64_t magic;
  uint32_t version;
  // The process that created the stream.
  int32_t process;
  uint64_t capacity;
  char name[NAME_SIZE];
  // The namespace in which the numbers of processes count, see cbr_trace_namespace.
  uint64_t namespace;
  _Alignas(64) _Atomic uint64_t head;
  _Atomic uint64_t dropped;
  // How many records of any kind found no room.
  _Atomic uint32_t gaps;
  _Atomic uint32_t numbers;
  _Alignas(64) _Atomic uint64_t tail;
  // The path of the program; empty if that is longer.
  char program[PROGRAM_SIZE];
};
_Static_assert(sizeof(struct cbr_trace_header) <= 4096, "the header has the first page");

// A record is a word, followed by the body. The word is 0 until the record's writer has stored what
// it reserved, within the next instructions; then it has a mark, the writer's process and the
// record's size in words.
typedef _Atomic uint64_t record_word;
enum { WORD = sizeof(record_word), SIZE_BITS = 30, PROCESS_BITS = 22 };

static const uint64_t RESERVED = (uint64_t)0xC0B << (SIZE_BITS + PROCESS_BITS);
static const uint64_t FINISHED = (uint64_t)0xCA1 << (SIZE_BITS + PROCESS_BITS);
static const uint64_t MARK = (uint64_t)0xFFF << (SIZE_BITS + PROCESS_BITS);
_Static_assert(12 + SIZE_BITS + PROCESS_BITS == 64, "mark, process and size fill a word");

static inline uint64_t cbr_trace_record_size(uint64_t body) {
  return (WORD + body + WORD - 1) & ~(uint64_t)(WORD - 1);
}

static inline uint64_t cbr_trace_noted_size(uint64_t word) {
  return (word & (((uint64_t)1 << SIZE_BITS) - 1)) * WORD;
}

static inline int32_t cbr_trace_noted_process(uint64_t word) {
  return (int32_t)(word >> SIZE_BITS & ((1u << PROCESS_BITS) - 1));
}

static inline record_word *cbr_trace_word_at(const struct cbr_trace_stream *stream, uint64_t place) {
  // A division takes as long as all else that a writer does.
  uint64_t offset = stream->mask ? place & stream->mask : place % stream->capacity;
  return (record_word *)(stream->ring + offset);
}

// Sets a file's size, and allocates its memory if the file system can. Returns 0 or an errno.
int cbr_trace_allocate(int file, uint64_t size) __attribute__((visibility("hidden")));

// Prepares this process, and its forks, for reserving records.
void cbr_trace_stream_note_processes(void) __attribute__((visibility("hidden")));
