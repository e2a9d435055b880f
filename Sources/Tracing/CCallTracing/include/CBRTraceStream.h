// Records of traced calls in transit to another process: a ring in a file that both map.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_trace_header;

// One mapping of a stream. The ring is mapped twice in a row, so that every record is contiguous.
struct cbr_trace_stream {
  struct cbr_trace_header *_Nullable header;
  // The ring, and its size in bytes.
  char *_Nullable ring;
  uint64_t capacity;
  // The bits of a position that are its offset in the ring, if the size is a power of two;
  // otherwise 0.
  uint64_t mask;
  // The reader's position. Like all positions, it counts from the stream's start and never wraps
  // around.
  uint64_t tail;
  // The stream's number among those that this process created.
  uint32_t number;
  // The stream's header as its reader found it at opening: the process that created it, that
  // process's name, the path of its program (empty if that is not known), and whether the numbers
  // of processes are those of the reader's namespace.
  int32_t process;
  char name[16];
  char program[1024];
  bool knows_processes;
};

enum cbr_trace_next {
  CBR_TRACE_NOTHING,
  CBR_TRACE_RECORD,
  // The next record is reserved, but its body is not complete.
  CBR_TRACE_UNFINISHED,
  CBR_TRACE_DAMAGED,
};

// The next record, as the reader finds it.
struct cbr_trace_part {
  // Other processes can still write to it.
  const void *_Nullable body;
  // The size of the body in bytes; unknown for an unfinished record.
  uint64_t size;
  uint64_t place;
  // The process that reserved an unfinished record; 0 if that is not known: it has not stored that,
  // which are the next instructions, or it is in another namespace than the reader.
  int32_t process;
};

// Creates a stream in a new file, which gets its final name when it is complete. Returns 0 or an
// errno.
int cbr_trace_stream_create(struct cbr_trace_stream *stream, const char *directory,
                            uint64_t capacity);

// Maps a stream for its only reader. Returns 0 or an errno; EINVAL if the file is not a stream.
int cbr_trace_stream_open(struct cbr_trace_stream *stream, const char *path);

void cbr_trace_stream_close(struct cbr_trace_stream *stream);

// Whether a process can still write to the stream of a path: the one that created it, or a fork of
// that one. The kernel keeps that, so namespaces and numbers that are used again do not change it.
bool cbr_trace_stream_has_writer(const char *path);

// Lets the current thread read the stream, one at a time, until `unguard`: a program may cut its
// file, and then the thread finds zeroes instead of SIGBUS.
void cbr_trace_stream_guard(const struct cbr_trace_stream *stream);
void cbr_trace_stream_unguard(void);

// A number, from 1, that no other code of the stream has.
uint32_t cbr_trace_stream_take_number(const struct cbr_trace_stream *stream);

// Reserves a record with a body of some bytes, and returns its position, which is never 0, in
// `place`. Returns the body, or NULL if there is no room. An eighth of the ring is reserved for
// urgent records.
void *_Nullable cbr_trace_stream_reserve(const struct cbr_trace_stream *stream, uint64_t size,
                                         bool is_urgent, uint64_t *place);

// Makes a reserved record visible to the reader.
void cbr_trace_stream_commit(void *body);

// Counts a call for which there was no room.
void cbr_trace_stream_drop(const struct cbr_trace_stream *stream);

// Counts a record of another kind for which there was no room; and how many records of any kind
// were missing so far.
void cbr_trace_stream_leave_gap(const struct cbr_trace_stream *stream);
uint32_t cbr_trace_stream_gaps(const struct cbr_trace_stream *stream);

uint64_t cbr_trace_stream_dropped(const struct cbr_trace_stream *stream);

// Finds the next record, which must be consumed before the one after it.
enum cbr_trace_next cbr_trace_stream_next(const struct cbr_trace_stream *stream,
                                          struct cbr_trace_part *part);

// Skips the unfinished record that was found, unless it was finished meanwhile. Its process must be
// dead or, if that is unknown, all processes of the stream must be: a living one would write to
// memory that is reused.
void cbr_trace_stream_pass_over(struct cbr_trace_stream *stream);

// The position behind all that is reserved; the reader's own if the program has damaged it.
uint64_t cbr_trace_stream_reserved_end(const struct cbr_trace_stream *stream);

// Releases the memory of the record that was found.
void cbr_trace_stream_consume(struct cbr_trace_stream *stream, uint64_t size);

// Ends the stream: there is no room for what is written from now on, and its memory is given back
// to the system.
void cbr_trace_stream_end(const struct cbr_trace_stream *stream);

#pragma clang assume_nonnull end
