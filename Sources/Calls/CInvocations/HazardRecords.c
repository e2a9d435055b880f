#include "HazardRecords.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "CBROwnCalls.h"
#include "CBRThreadStack.h"

// The memory is the kernel's: the C library's allocator may be in the middle of a call that a
// signal has interrupted, whose handler makes this call.
void *cbr_hazard_memory(size_t size) {
  OWN_CALLS;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  return memory;
}

static struct segment *segment_ending_at(struct cbr_hazard *end) {
  return (struct segment *)((char *)end - offsetof(struct segment, end));
}

static bool is_end(const struct cbr_hazard *hazard) {
  return __atomic_load_n(&hazard->running, __ATOMIC_RELAXED) & 1;
}

// Returns the hazard pointer, or the first of the next segment if `hazard` is the end of a segment;
// NULL at `above`.
static struct cbr_hazard *taken(struct cbr_hazard *hazard, const struct cbr_hazard *above) {
  if (hazard != above && is_end(hazard)) hazard = segment_ending_at(hazard)->next->hazards;
  return hazard != above ? hazard : NULL;
}

static struct cbr_hazard *hazard_beyond_end(struct record *record, struct cbr_hazard *end) {
  struct segment *segment = segment_ending_at(end);
  if (!segment->next) {
    OWN_CALLS;
    struct segment *next = cbr_hazard_memory(sizeof *next);
    next->end = 1;
    next->record = record;
    // The segment is complete before a scan reaches it. A call of a signal's handler may have made
    // another meanwhile.
    struct segment *none = NULL;
    if (!__atomic_compare_exchange_n(&segment->next, &none, next, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
      munmap(next, sizeof *next);
  }
  return segment->next->hazards;
}

static void protect_nothing(struct cbr_hazard *hazard) {
  __atomic_store_n(&hazard->protecting, 0, __ATOMIC_RELEASE);
  cbr_hazard_store(&hazard->running, NULL);
}

// Whether a thread waited for the call of a hazard pointer that was cleared without reading its
// mark.
static bool take_awaited(struct cbr_hazard *hazard) {
  return __atomic_load_n(&hazard->awaited, __ATOMIC_RELAXED) && cbr_hazard_take_awaited(hazard);
}

// Clears the hazard pointers from `first` on, none of which is in use. Returns whether a thread
// waits for a call of those after the first.
static bool empty_from(struct cbr_hazard *first, const struct cbr_hazard *above) {
  bool is_awaited = false;
  for (struct cbr_hazard *hazard = taken(first, above); hazard; hazard = taken(hazard + 1, above)) {
    protect_nothing(hazard);
    if (hazard != first && take_awaited(hazard)) is_awaited = true;
  }
  return is_awaited;
}

static bool is_own(const struct cbr_hazard *hazard) {
  return cbr_stack_is_own((const void *)__atomic_load_n(&hazard->stack, __ATOMIC_RELAXED));
}

bool cbr_hazards_have_other_stacks(struct record *record) {
  struct cbr_hazard *top = record->thread.top, *above = top == &record->disorder ? record->above : top;
  for (struct cbr_hazard *hazard = taken(record->first.hazards, above); hazard;
       hazard = taken(hazard + 1, above))
    if (__atomic_load_n(&hazard->running, __ATOMIC_RELAXED) && !is_own(hazard)) return true;
  return false;
}

// Whether the call has ended on another thread, to which its stack was moved.
static bool ended_elsewhere(const struct cbr_hazard *hazard) {
  return !__atomic_load_n(&hazard->stack, __ATOMIC_ACQUIRE);
}

// Whether the end of a call ends all calls that began later.
static bool ends_all_above(struct cbr_hazard *ending, const struct cbr_hazard *above) {
  struct cbr_hazard *hazard = taken(ending + 1, above);
  while (hazard && (ended_elsewhere(hazard) || (is_own(ending) && is_own(hazard))))
    hazard = taken(hazard + 1, above);
  return !hazard;
}

static void enlist(struct record *record, struct cbr_hazard *hazard) {
  record->count++;
  if (!is_own(hazard)) return;
  hazard->next = record->own;
  record->own = hazard;
}

static void give_back(struct record *record, struct cbr_hazard *hazard) {
  hazard->next = record->free;
  record->free = hazard;
}

static void begin_disorder(struct record *record) {
  struct cbr_hazard *above = record->above = record->thread.top;
  record->free = record->own = NULL;
  record->count = 0;
  for (struct cbr_hazard *hazard = taken(record->first.hazards, above); hazard;
       hazard = taken(hazard + 1, above))
    if (ended_elsewhere(hazard))
      give_back(record, hazard);
    else
      enlist(record, hazard);
  record->thread.top = &record->disorder;
}

static void end_in_disorder(struct record *record, struct cbr_hazard *hazard) {
  protect_nothing(hazard);
  give_back(record, hazard);
  record->count--;
}

// Restores order when no hazard pointer is in use.
static void order(struct record *record, bool *is_awaited) {
  record->thread.top = record->first.hazards;
  if (empty_from(record->first.hazards, record->above)) *is_awaited = true;
}

bool cbr_hazards_clear_left(struct record *record, const void *stack) {
  bool is_awaited = false;
  struct cbr_hazard *left;
  while (cbr_stack_is_own(stack) && (left = record->own) && left->stack < (uintptr_t)stack) {
    record->own = left->next;
    end_in_disorder(record, left);
    if (take_awaited(left)) is_awaited = true;
  }
  if (record->count == 0) order(record, &is_awaited);
  return is_awaited;
}

// Takes, in disorder, a hazard pointer that was never taken. A call of a signal's handler may do so
// at any moment, and then has given it back.
static struct cbr_hazard *never_taken(struct record *record) {
  struct cbr_hazard *above = __atomic_load_n(&record->above, __ATOMIC_RELAXED), *hazard;
  do {
    hazard = is_end(above) ? hazard_beyond_end(record, above) : above;
  } while (!__atomic_compare_exchange_n(&record->above, &above, hazard + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return hazard;
}

struct cbr_hazard *cbr_thread_make_hazard(const void *stack) {
  struct cbr_thread *thread = cbr_thread_current();
  struct record *record = (struct record *)thread;
  struct cbr_hazard *hazard = thread->top;
  if (hazard != &record->disorder) {
    if (!is_end(hazard)) {
      // The thread has just been registered.
      thread->top = hazard + 1;
      return hazard;
    }
    hazard = hazard_beyond_end(record, hazard);
    thread->top = hazard + 1;
    return hazard;
  }
  hazard = record->free;
  if (hazard)
    record->free = hazard->next;
  else
    hazard = never_taken(record);
  hazard->stack = (uintptr_t)stack;
  enlist(record, hazard);
  return hazard;
}

// The record that a hazard pointer belongs to.
static struct record *record_of(struct cbr_hazard *hazard) {
  while (!is_end(hazard)) hazard++;
  return segment_ending_at(hazard)->record;
}

bool cbr_hazard_clear_out_of_order(struct cbr_hazard *hazard) {
  struct cbr_thread *thread = cbr_this_thread;
  struct record *record = record_of(hazard);
  // Whether threads wait for calls that longjmp has left.
  bool is_awaited = false;
  if (&record->thread != thread) {
    // The stack was moved here from another thread, whose hazard pointer this is. A thread that
    // finds itself alone makes no membarrier, hence the fence. Once `stack` is zero, the owner may
    // use the hazard pointer again, so everything else comes before. The owner must be alive: the
    // calls of a thread end with it.
    protect_nothing(hazard);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    is_awaited = take_awaited(hazard);
    __atomic_store_n(&hazard->stack, 0, __ATOMIC_RELEASE);
    if (is_awaited && cbr_entered_call.ended) cbr_entered_call.ended(NULL);
    return false;
  }
  if (thread->top != &record->disorder && ends_all_above(hazard, thread->top)) {
    struct cbr_hazard *above = thread->top;
    thread->top = hazard;
    is_awaited = empty_from(hazard, above);
  } else {
    if (thread->top != &record->disorder) begin_disorder(record);
    if (is_own(hazard)) {
      struct cbr_hazard *left;
      while ((left = record->own) != hazard) {
        record->own = left->next;
        end_in_disorder(record, left);
        if (take_awaited(left)) is_awaited = true;
      }
      record->own = hazard->next;
    }
    end_in_disorder(record, hazard);
    if (record->count == 0) order(record, &is_awaited);
  }
  if (is_awaited && cbr_entered_call.ended) cbr_entered_call.ended(NULL);
  return __atomic_load_n(&hazard->awaited, __ATOMIC_RELAXED) != 0;
}
