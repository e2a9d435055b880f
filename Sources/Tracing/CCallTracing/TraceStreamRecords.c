#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "CBRTraceProcesses.h"
#include "TraceStreamLayout.h"

// MARK: Processes

// The bits above the size in the word of a record that this process reserves: the mark and the
// process.
static uint64_t reserving;

static void note_process(void) {
  OWN_CALLS;
  reserving = RESERVED | (uint64_t)cbr_trace_known_process() << SIZE_BITS;
}

static void watch_forks(void) {
  note_process();
  pthread_atfork(NULL, NULL, note_process);
}

void cbr_trace_stream_note_processes(void) {
  OWN_CALLS;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
}

// MARK: Writing

uint32_t cbr_trace_stream_take_number(const struct cbr_trace_stream *stream) {
  return atomic_fetch_add_explicit(&stream->header->numbers, 1, memory_order_relaxed) + 1;
}

void *cbr_trace_stream_reserve(const struct cbr_trace_stream *stream, uint64_t body, bool is_urgent,
                               uint64_t *place) {
  struct cbr_trace_header *header = stream->header;
  uint64_t size = cbr_trace_record_size(body);
  uint64_t room = is_urgent ? stream->capacity : stream->capacity - stream->capacity / 8;
  while (true) {
    // In this order, so that the head is never before the tail; acquired, so that the reader's
    // zeroes are there before what this writes.
    uint64_t tail = atomic_load_explicit(&header->tail, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&header->head, memory_order_relaxed);
    if (size > room || head - tail > room - size) return NULL;
    if (atomic_compare_exchange_weak_explicit(&header->head, &head, head + size,
                                              memory_order_acq_rel, memory_order_relaxed)) {
      *place = head + 1;
      record_word *word = cbr_trace_word_at(stream, head);
      atomic_store_explicit(word, reserving | size / WORD, memory_order_relaxed);
      // Before the body, because only this word lets the reader skip the record of a process that
      // died. Of a dead process all stores are visible, so the compiler's order suffices.
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
  memset(cbr_trace_word_at(stream, stream->tail), 0, size);
  stream->tail += size;
  atomic_store_explicit(&stream->header->tail, stream->tail, memory_order_release);
}

// Whether a word is that of a record with a mark, and its size lies within the reserved memory.
static bool is_noted(uint64_t word, uint64_t mark, uint64_t left) {
  uint64_t size = cbr_trace_noted_size(word);
  return (word & MARK) == mark && size >= 2 * WORD && size <= left;
}

// The reserved memory behind the reader's position, as the program says; UINT64_MAX if that cannot
// be.
static uint64_t reserved_size(const struct cbr_trace_stream *stream) {
  uint64_t head = atomic_load_explicit(&stream->header->head, memory_order_acquire);
  uint64_t left = head - stream->tail;
  return left <= stream->capacity && left % WORD == 0 ? left : UINT64_MAX;
}

uint64_t cbr_trace_stream_reserved_end(const struct cbr_trace_stream *stream) {
  uint64_t left = reserved_size(stream);
  return left == UINT64_MAX ? stream->tail : stream->tail + left;
}

enum cbr_trace_next cbr_trace_stream_next(const struct cbr_trace_stream *stream,
                                          struct cbr_trace_part *part) {
  uint64_t left = reserved_size(stream);
  // A file that was cut has zeroes for a header.
  if (left == 0) return stream->header->magic == STREAM_MAGIC ? CBR_TRACE_NOTHING : CBR_TRACE_DAMAGED;
  if (left == UINT64_MAX) return CBR_TRACE_DAMAGED;
  record_word *next = cbr_trace_word_at(stream, stream->tail);
  uint64_t word = atomic_load_explicit(next, memory_order_acquire);
  *part = (struct cbr_trace_part){.body = (char *)next + WORD, .place = stream->tail + 1};
  if (is_noted(word, FINISHED, left)) {
    part->size = cbr_trace_noted_size(word) - WORD;
    return CBR_TRACE_RECORD;
  }
  if (word != 0 && !is_noted(word, RESERVED, left)) return CBR_TRACE_DAMAGED;
  if (stream->knows_processes) part->process = cbr_trace_noted_process(word);
  return CBR_TRACE_UNFINISHED;
}

// The program may change its stores at any time: each word is read once before it is judged.
void cbr_trace_stream_pass_over(struct cbr_trace_stream *stream) {
  uint64_t left = reserved_size(stream);
  if (left == 0 || left == UINT64_MAX) return;
  uint64_t word = atomic_load_explicit(cbr_trace_word_at(stream, stream->tail), memory_order_acquire);
  // The record may have been finished since it was found.
  if (is_noted(word, RESERVED, left)) return give_back(stream, cbr_trace_noted_size(word));
  for (; left != 0 && word == 0; left -= WORD) {
    give_back(stream, WORD);
    word = atomic_load_explicit(cbr_trace_word_at(stream, stream->tail), memory_order_acquire);
  }
}

void cbr_trace_stream_consume(struct cbr_trace_stream *stream, uint64_t size) {
  give_back(stream, cbr_trace_record_size(size));
}

void cbr_trace_stream_end(const struct cbr_trace_stream *stream) {
  OWN_CALLS;
  uint64_t left = reserved_size(stream);
  if (left == UINT64_MAX) return;
  uint64_t head = stream->tail + left;
  atomic_store_explicit(&stream->header->tail, head - stream->capacity, memory_order_release);
  // What is reserved stays: it is being written.
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), free = (uintptr_t)cbr_trace_word_at(stream, head);
  uintptr_t start = (free + page - 1) & ~(page - 1), end = (free + stream->capacity - left) & ~(page - 1);
  if (start < end) madvise((void *)start, end - start, MADV_REMOVE);
}
