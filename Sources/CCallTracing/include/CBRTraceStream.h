// Records of traced calls on their way to another process: a ring in a file that both map.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_trace_header;

// One mapping of a stream. The ring is mapped twice in a row, so that every record is contiguous.
struct cbr_trace_stream {
  struct cbr_trace_header *_Nullable header;
  // The ring's size in bytes.
  uint64_t capacity;
  // The reader's place; counted, as all places, from the stream's start over all rounds.
  uint64_t tail;
  // Which of the streams that this process created it is.
  uint32_t number;
};

enum cbr_trace_next {
  CBR_TRACE_NOTHING,
  CBR_TRACE_RECORD,
  // The next record is reserved, and its body not written yet.
  CBR_TRACE_UNFINISHED,
  CBR_TRACE_DAMAGED,
};

// What a reader finds.
struct cbr_trace_part {
  // Other processes can still write to it.
  const void *_Nullable body;
  // The bytes of the body; not known of an unfinished record.
  uint64_t size;
  uint64_t place;
  // The process that reserved it; 0 while it has not noted that, within the instructions after.
  int32_t process;
};

// Creates a stream in a new file, which gets its name when it is complete. Returns 0 or an errno.
int cbr_trace_stream_create(struct cbr_trace_stream *stream, const char *directory,
                            uint64_t capacity);

// Maps a stream for its one reader. Returns 0 or an errno; EINVAL where the file is no stream.
int cbr_trace_stream_open(struct cbr_trace_stream *stream, const char *path);

void cbr_trace_stream_close(struct cbr_trace_stream *stream);

// The processes that write: 0 is the one that created the stream, then come its forks. The last 512
// are known; one that is just becoming known is 0.
uint32_t cbr_trace_stream_process_count(const struct cbr_trace_stream *stream);
int32_t cbr_trace_stream_process(const struct cbr_trace_stream *stream, uint32_t index);

// The name of the process that created the stream: 16 bytes, with a zero at the end.
void cbr_trace_stream_name(const struct cbr_trace_stream *stream, char *name);

// A number that no other code of the stream has, from 1.
uint32_t cbr_trace_stream_take_number(const struct cbr_trace_stream *stream);

// Reserves a record of so many bytes of body for a process, this one, and gives it a place, which is
// never 0. Returns the body, or NULL where there is no room. An eighth of the ring is kept for records
// that are urgent.
void *_Nullable cbr_trace_stream_reserve(const struct cbr_trace_stream *stream, uint64_t size,
                                         bool is_urgent, int32_t process, uint64_t *place);

// Shows a reserved record to the reader.
void cbr_trace_stream_commit(void *body);

// Counts a call that found no room.
void cbr_trace_stream_drop(const struct cbr_trace_stream *stream);
uint64_t cbr_trace_stream_dropped(const struct cbr_trace_stream *stream);

// Finds the next record, to be consumed before the one after.
enum cbr_trace_next cbr_trace_stream_next(const struct cbr_trace_stream *stream,
                                          struct cbr_trace_part *part);

// Passes over the unfinished record that was found, unless it is finished by now. Its process must be
// dead, or all processes of the stream where it is not known: a living one would write to memory
// that is given back.
void cbr_trace_stream_pass_over(struct cbr_trace_stream *stream);

// Gives the memory of a record found back.
void cbr_trace_stream_consume(struct cbr_trace_stream *stream, uint64_t size);

#pragma clang assume_nonnull end
