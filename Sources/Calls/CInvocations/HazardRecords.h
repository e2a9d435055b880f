// The memory of one thread's hazard pointers. See CBRHazardPointers.h.
//
// On one stack, calls end in the reverse order of their begins, or longjmp leaves them: then the
// end of a call also ends the inner calls. So a thread takes and clears its hazard pointers like a
// stack, as long as each call that ends is the latest, or it and all later calls run on the
// thread's own stack. If a call ends before a later one on another stack (a coroutine's, a
// fibre's), the record is in disorder: from then on a call takes any free hazard pointer, out of
// line, and only the hazard pointers of calls on the thread's own stack form a list in which
// clearing one clears the later ones. Order is restored when none is in use.
//
// The bounds of other stacks are unknown, so nothing is assumed about their calls: if longjmp
// leaves such a call, its hazard pointer stays in use until the thread ends.
#pragma once

#include "CBRHazardPointers.h"

enum { HAZARDS = 62 };

struct segment {
  struct segment *next;
  struct cbr_hazard hazards[HAZARDS];
  // An odd word where a hazard pointer would have `running`.
  uintptr_t end;
  struct record *record;
};

// One thread's hazard pointers. Records are never freed, only reused: other threads may be reading
// them.
//
// They are taken, given back and read without a lock, because handlers of a fork, a thread's last
// destructors and handlers of hooked functions may need one at any time.
struct record {
  struct cbr_thread thread;
  struct record *next;
  bool is_used;
  // The value of `top` in disorder: it is neither free nor the successor of any call's hazard
  // pointer.
  struct cbr_hazard disorder;
  // In disorder: the first hazard pointer that was never taken; the list of those that are free
  // again; the list of those on the thread's own stack, the latest first; and how many are in use.
  struct cbr_hazard *above, *free, *own;
  size_t count;
  struct segment first;
};

// Zeroed memory for a record or a segment, which is never exhausted: the process ends then.
__attribute__((visibility("hidden"))) void *cbr_hazard_memory(size_t size);

// Initialises a record in zeroed memory.
static inline void prepare_hazards(struct record *record) {
  record->disorder.running = 1;
  record->first.end = 1;
  record->first.record = record;
  record->thread.top = record->first.hazards;
}

// In disorder, clears the hazard pointers of calls at lower addresses of the thread's own stack
// than `stack`. Returns whether a thread waits for one of them.
__attribute__((visibility("hidden"))) bool cbr_hazards_clear_left(struct record *record, const void *stack);

// Whether a call of the record's own thread is in progress on another stack than the thread's own.
__attribute__((visibility("hidden"))) bool cbr_hazards_have_other_stacks(struct record *record);
