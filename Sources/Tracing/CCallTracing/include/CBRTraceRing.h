// Records of traced calls in transit to the thread that delivers them: a ring in memory of this
// process.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { CBR_TRACE_WORDS = 8 };

// One call, as the traced thread stores it.
struct cbr_trace_call {
  uint64_t start;
  uint64_t duration;
  // The code's description for records; not retained.
  const void *code;
  // Rendered values, retained; often none.
  const void *_Nullable texts;
  int32_t thread;
  int32_t depth;
  // How it ended, and which words are there.
  uint8_t ending;
  bool has_arguments;
  bool has_result;
  // The calls that had found no room before.
  uint64_t dropped;
  uint64_t words[CBR_TRACE_WORDS];
};

struct cbr_trace_ring;

// Makes a ring for so many calls, which are fewer if there is no memory for them, and may be none:
// then all are counted as dropped, together with those of other such rings.
struct cbr_trace_ring *cbr_trace_ring_create(uint64_t capacity);

void cbr_trace_ring_free(struct cbr_trace_ring *ring);

// The most calls that it holds.
uint64_t cbr_trace_ring_capacity(const struct cbr_trace_ring *ring);

// Reserves the next place, whose number is returned in `place`. Returns NULL, and counts the call
// as dropped, if there is no room or the ring is closed.
struct cbr_trace_call *_Nullable cbr_trace_ring_reserve(struct cbr_trace_ring *ring,
                                                        uint64_t *place);

// Lets the reader have a reserved place. Returns whether the reader must be woken.
bool cbr_trace_ring_commit(struct cbr_trace_ring *ring, struct cbr_trace_call *call,
                           uint64_t place);

// Lets no further place be reserved.
void cbr_trace_ring_close(struct cbr_trace_ring *ring);

// How many places were reserved, and how many were given back; a place that is reserved may not be
// complete.
uint64_t cbr_trace_ring_accepted(const struct cbr_trace_ring *ring);
uint64_t cbr_trace_ring_taken(const struct cbr_trace_ring *ring);
uint64_t cbr_trace_ring_dropped(const struct cbr_trace_ring *ring);

// MARK: The reader, one thread

// The complete call `offset` places after those that were given back; NULL if there is none.
const struct cbr_trace_call *_Nullable cbr_trace_ring_next(const struct cbr_trace_ring *ring,
                                                           uint64_t offset);

// Gives back so many places.
void cbr_trace_ring_give_back(struct cbr_trace_ring *ring, uint64_t count);

// Announces that the reader will sleep if fewer than `count` places are reserved: the call that
// makes them so many wakes it. Returns whether it may; if not, nothing is announced.
bool cbr_trace_ring_may_sleep(struct cbr_trace_ring *ring, uint64_t count);

// Ends what was announced.
void cbr_trace_ring_awake(struct cbr_trace_ring *ring);

#pragma clang assume_nonnull end
