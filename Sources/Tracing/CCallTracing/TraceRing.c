#define _GNU_SOURCE
#include "CBRTraceRing.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "CBROwnCalls.h"

// A place is complete if its mark is its number plus 1.
struct place {
  _Atomic uint64_t mark;
  struct cbr_trace_call call;
};
_Static_assert(sizeof(struct place) == 128, "two cache lines");

static const uint64_t CLOSED = (uint64_t)1 << 63;

// Words that writers change and words that the reader changes are in separate cache lines.
struct cbr_trace_ring {
  uint64_t capacity;
  uint64_t mask;
  size_t size;
  // How many places were reserved, and whether no more are.
  _Alignas(64) _Atomic uint64_t head;
  _Atomic uint64_t dropped;
  // How many were given back.
  _Alignas(64) _Atomic uint64_t tail;
  // So many reserved places wake the reader; 0 while it is awake.
  _Atomic uint64_t awaited;
  _Alignas(64) struct place places[];
};

static const uint64_t CAPACITY_LIMIT = (uint64_t)1 << 28;

struct cbr_trace_ring *cbr_trace_ring_create(uint64_t capacity) {
  OWN_CALLS;
  if (capacity > CAPACITY_LIMIT) capacity = CAPACITY_LIMIT;
  for (; capacity > 0; capacity /= 2) {
    uint64_t places = 1;
    while (places < capacity) places *= 2;
    size_t size = sizeof(struct cbr_trace_ring) + places * sizeof(struct place);
    // Pages that no call has needed take no memory.
    struct cbr_trace_ring *ring = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ring == MAP_FAILED) continue;
    ring->capacity = capacity;
    ring->mask = places - 1;
    ring->size = size;
    return ring;
  }
  // Without a place, every call finds no room.
  static struct cbr_trace_ring empty;
  return &empty;
}

void cbr_trace_ring_free(struct cbr_trace_ring *ring) {
  OWN_CALLS;
  if (ring->size > 0) munmap(ring, ring->size);
}

uint64_t cbr_trace_ring_capacity(const struct cbr_trace_ring *ring) { return ring->capacity; }

// MARK: Writing

struct cbr_trace_call *cbr_trace_ring_reserve(struct cbr_trace_ring *ring, uint64_t *place) {
  uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  while (true) {
    // Acquired, so that the reader is done with the place. A tail that is older than the head makes
    // the ring look fuller; one that is newer than it makes the exchange fail.
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head >= tail + ring->capacity) {
      atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
      return NULL;
    }
    if (atomic_compare_exchange_weak_explicit(&ring->head, &head, head + 1, memory_order_seq_cst,
                                              memory_order_relaxed))
      break;
  }
  *place = head;
  struct cbr_trace_call *call = &ring->places[head & ring->mask].call;
  call->dropped = atomic_load_explicit(&ring->dropped, memory_order_relaxed);
  return call;
}

bool cbr_trace_ring_commit(struct cbr_trace_ring *ring, struct cbr_trace_call *call,
                           uint64_t place) {
  struct place *written = (struct place *)((char *)call - offsetof(struct place, call));
  atomic_store_explicit(&written->mark, place + 1, memory_order_release);
  // After the head was changed, as the reader looks at the head after it has announced that it
  // sleeps: one of the two sees what the other one did.
  uint64_t awaited = atomic_load_explicit(&ring->awaited, memory_order_seq_cst);
  if (__builtin_expect(awaited == 0, 1)) return false;
  uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  return place + 1 - tail >= awaited && atomic_exchange(&ring->awaited, 0) != 0;
}

void cbr_trace_ring_close(struct cbr_trace_ring *ring) { atomic_fetch_or(&ring->head, CLOSED); }

uint64_t cbr_trace_ring_accepted(const struct cbr_trace_ring *ring) {
  return atomic_load(&ring->head) & ~CLOSED;
}

uint64_t cbr_trace_ring_taken(const struct cbr_trace_ring *ring) {
  return atomic_load(&ring->tail);
}

uint64_t cbr_trace_ring_dropped(const struct cbr_trace_ring *ring) {
  return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}

// MARK: Reading

const struct cbr_trace_call *cbr_trace_ring_next(const struct cbr_trace_ring *ring,
                                                 uint64_t offset) {
  uint64_t place = atomic_load_explicit(&ring->tail, memory_order_relaxed) + offset;
  const struct place *next = &ring->places[place & ring->mask];
  return atomic_load_explicit(&next->mark, memory_order_acquire) == place + 1 ? &next->call : NULL;
}

void cbr_trace_ring_give_back(struct cbr_trace_ring *ring, uint64_t count) {
  uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  atomic_store_explicit(&ring->tail, tail + count, memory_order_release);
}

bool cbr_trace_ring_may_sleep(struct cbr_trace_ring *ring, uint64_t count) {
  atomic_store(&ring->awaited, count);
  if (cbr_trace_ring_accepted(ring) - cbr_trace_ring_taken(ring) < count) return true;
  atomic_store(&ring->awaited, 0);
  return false;
}

void cbr_trace_ring_awake(struct cbr_trace_ring *ring) { atomic_store(&ring->awaited, 0); }
