// The places that a thread's announcements are made in. See CBRRunningCalls.h.
//
// On one stack calls end in the reverse order of their begins, or are left by longjmp: then the end
// of a call ends those within it. So a thread's announcements are a stack themselves, as long as each
// that ends is the last, or those above it are on the thread's own stack, as it is. A call that ends
// below one on another stack (a coroutine's, a fibre's) brings disorder: from then on each
// announcement has any free place, begins and ends go out of line, and only the announcements on the
// thread's own stack are a list in which the end of one ends the later ones. When none is left, order
// is back.
//
// Of calls on other stacks, whose bounds nobody knows, nothing is assumed: those that longjmp leaves
// stay announced until the thread ends.
#pragma once

#include "CBRRunningCalls.h"

enum { PLACES = 62 };

struct segment {
  struct segment *next;
  struct cbr_running places[PLACES];
  // Odd, which no announcement is.
  uintptr_t end;
  struct record *record;
};

// One thread's announcements. Records are never freed, only used again: others may be reading them.
//
// They are taken, given back and read without a lock: a fork's handlers, a thread's last destructors
// and handlers of whatever is hooked come here too, in the middle of anything.
struct record {
  struct cbr_thread thread;
  struct record *next;
  bool is_used;
  // Where `top` is in disorder: it is not free, nor the end of anybody's place.
  struct cbr_running disorder;
  // In disorder: the first place that was never taken; those that are free again; those on the
  // thread's own stack, the latest first; and how many announce something.
  struct cbr_running *above, *free, *own;
  size_t count;
  struct segment first;
};

// Makes a record's memory, which is zero, a record.
static inline void prepare_places(struct record *record) {
  record->disorder.what = 1;
  record->first.end = 1;
  record->first.record = record;
  record->thread.top = record->first.places;
}

// In disorder: ends the announcements below an address of the thread's own stack. Whether somebody
// awaits one of them.
__attribute__((visibility("hidden"))) bool cbr_running_end_left(struct record *record, const void *stack);
