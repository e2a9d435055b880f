#include "RunningPlaces.h"

#include <stdlib.h>

#include "CBROwnCalls.h"
#include "CBRThreadStack.h"

static struct segment *segment_ending_at(struct cbr_running *end) {
  return (struct segment *)((char *)end - offsetof(struct segment, end));
}

static bool is_end(const struct cbr_running *place) {
  return __atomic_load_n(&place->what, __ATOMIC_RELAXED) & 1;
}

// The place, or the first of the next segment if this is the end of one; NULL from `above` on.
static struct cbr_running *taken(struct cbr_running *place, const struct cbr_running *above) {
  if (place != above && is_end(place)) place = segment_ending_at(place)->next->places;
  return place != above ? place : NULL;
}

static struct cbr_running *place_beyond_end(struct record *record, struct cbr_running *end) {
  struct segment *segment = segment_ending_at(end);
  if (!segment->next) {
    OWN_CALLS;
    struct segment *next = calloc(1, sizeof *next);
    if (!next) abort();
    next->end = 1;
    next->record = record;
    __atomic_store_n(&segment->next, next, __ATOMIC_RELEASE);
  }
  return segment->next->places;
}

// A place that announces itself announces nothing, and hides none behind it.
static void announce_nothing(struct cbr_running *place) {
  __atomic_store_n(&place->kept, 0, __ATOMIC_RELEASE);
  cbr_running_announce(&place->what, place, cbr_running_is_plain);
}

// Whether somebody awaited what a place announced, which has ended without anybody looking.
static bool take_awaited(struct cbr_running *place) {
  return __atomic_load_n(&place->awaited, __ATOMIC_RELAXED) && cbr_running_take_awaited(place);
}

// Empties the places from one on, of which none is in use any more. Whether somebody awaits what
// those after the first announced.
static bool empty_from(struct cbr_running *first, const struct cbr_running *above) {
  bool is_awaited = false;
  for (struct cbr_running *place = taken(first, above); place; place = taken(place + 1, above)) {
    __atomic_store_n(&place->kept, 0, __ATOMIC_RELEASE);
    cbr_running_announce(&place->what, NULL, cbr_running_is_plain);
    if (place != first && take_awaited(place)) is_awaited = true;
  }
  return is_awaited;
}

static bool is_own(const struct cbr_running *place) {
  return cbr_stack_is_own((const void *)place->stack);
}

// Whether the place's call has ended on another thread, to which its stack was moved.
static bool ended_elsewhere(const struct cbr_running *place) {
  return !__atomic_load_n(&place->stack, __ATOMIC_RELAXED);
}

// Whether the end of a call ends all that began later.
static bool ends_all_above(struct cbr_running *ending, const struct cbr_running *above) {
  struct cbr_running *place = taken(ending + 1, above);
  while (place && (ended_elsewhere(place) || (is_own(ending) && is_own(place))))
    place = taken(place + 1, above);
  return !place;
}

static void enlist(struct record *record, struct cbr_running *place) {
  record->count++;
  if (!is_own(place)) return;
  place->next = record->own;
  record->own = place;
}

static void give_back(struct record *record, struct cbr_running *place) {
  place->next = record->free;
  record->free = place;
}

static void begin_disorder(struct record *record) {
  struct cbr_running *above = record->above = record->thread.top;
  record->free = record->own = NULL;
  record->count = 0;
  for (struct cbr_running *place = taken(record->first.places, above); place;
       place = taken(place + 1, above))
    if (ended_elsewhere(place))
      give_back(record, place);
    else
      enlist(record, place);
  record->thread.top = &record->disorder;
}

static void end_in_disorder(struct record *record, struct cbr_running *place) {
  announce_nothing(place);
  give_back(record, place);
  record->count--;
}

// Brings order back, where nothing is announced any more.
static void order(struct record *record, bool *is_awaited) {
  record->thread.top = record->first.places;
  if (empty_from(record->first.places, record->above)) *is_awaited = true;
}

bool cbr_running_end_left(struct record *record, const void *stack) {
  bool is_awaited = false;
  struct cbr_running *left;
  while (cbr_stack_is_own(stack) && (left = record->own) && left->stack < (uintptr_t)stack) {
    record->own = left->next;
    end_in_disorder(record, left);
    if (take_awaited(left)) is_awaited = true;
  }
  if (record->count == 0) order(record, &is_awaited);
  return is_awaited;
}

struct cbr_running *cbr_thread_make_place(struct cbr_thread *thread, const void *stack) {
  struct record *record = (struct record *)thread;
  struct cbr_running *place = thread->top;
  if (place != &record->disorder) {
    place = place_beyond_end(record, place);
    thread->top = place + 1;
    return place;
  }
  place = record->free;
  if (place) {
    record->free = place->next;
  } else {
    place = is_end(record->above) ? place_beyond_end(record, record->above) : record->above;
    record->above = place + 1;
    announce_nothing(place);
  }
  place->stack = (uintptr_t)stack;
  enlist(record, place);
  return place;
}

// The record that a place belongs to.
static struct record *record_of(struct cbr_running *place) {
  while (!is_end(place)) place++;
  return segment_ending_at(place)->record;
}

bool cbr_running_end_out_of_order(struct cbr_running *place) {
  struct cbr_thread *thread = cbr_this_thread;
  struct record *record = record_of(place);
  // Of the calls that longjmp has left.
  bool is_awaited = false;
  if (&record->thread != thread) {
    // The stack was moved here from another thread, to which the place belongs.
    announce_nothing(place);
    __atomic_store_n(&place->stack, 0, __ATOMIC_RELAXED);
  } else if (thread->top != &record->disorder && ends_all_above(place, thread->top)) {
    struct cbr_running *above = thread->top;
    thread->top = place;
    is_awaited = empty_from(place, above);
  } else {
    if (thread->top != &record->disorder) begin_disorder(record);
    if (is_own(place)) {
      struct cbr_running *left;
      while ((left = record->own) != place) {
        record->own = left->next;
        end_in_disorder(record, left);
        if (take_awaited(left)) is_awaited = true;
      }
      record->own = place->next;
    }
    end_in_disorder(record, place);
    if (record->count == 0) order(record, &is_awaited);
  }
  if (is_awaited && cbr_entered_call.ended) cbr_entered_call.ended(NULL);
  return __atomic_load_n(&place->awaited, __ATOMIC_RELAXED) != 0;
}
