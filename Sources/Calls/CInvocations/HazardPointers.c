#define _GNU_SOURCE
#include "CBRHazardPointers.h"

#include <pthread.h>
#include <stdlib.h>

#include "CBRBarriers.h"
#include "CBROwnCalls.h"
#include "HazardRecords.h"

static struct cbr_hazard no_hazard = {.running = 1};
struct cbr_thread cbr_no_thread = {&no_hazard};
_Thread_local struct cbr_thread *cbr_this_thread = &cbr_no_thread;
struct cbr_entered_call cbr_entered_call;

_Static_assert(offsetof(struct cbr_thread, top) == CBR_THREAD_TOP, "assembly");
#if __SIZEOF_POINTER__ == 8
_Static_assert(offsetof(struct cbr_hazard, protecting) == CBR_HAZARD_PROTECTED, "assembly");
_Static_assert(offsetof(struct cbr_hazard, awaited) == CBR_HAZARD_AWAITED, "assembly");
_Static_assert(offsetof(struct cbr_hazard, stack) == CBR_HAZARD_STACK, "assembly");
_Static_assert(sizeof(struct cbr_hazard) == CBR_HAZARD_SIZE, "assembly");
#endif
bool cbr_hazards_are_plain;
static bool has_membarrier;

#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER true
#else
#define HAS_THREAD_SANITIZER false
#endif

// All records; new ones are inserted at the front, and none is removed.
static struct record *records;
// Held while hazard pointers are marked: a late mark must not overwrite another thread's.
static pthread_mutex_t marking = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_ended_by_fork;

static struct record *first_record(void) { return __atomic_load_n(&records, __ATOMIC_ACQUIRE); }

// Clears the hazard pointers from `first` on, which is then the first free one.
//
// Returns whether a thread waits for one of their calls. The marks are read last: a thread that
// makes one scans the hazard pointers again.
static bool end_from(struct record *record, struct cbr_hazard *first) {
  bool is_behind = false, is_awaited = false;
  struct segment *start = NULL;
  for (struct segment *segment = &record->first; segment; segment = segment->next) {
    for (int index = 0; index < HAZARDS; index++) {
      is_behind = is_behind || first == &segment->hazards[index];
      if (!is_behind) continue;
      if (!start) start = segment;
      __atomic_store_n(&segment->hazards[index].protecting, 0, __ATOMIC_RELEASE);
      __atomic_store_n(&segment->hazards[index].running, 0, __ATOMIC_RELEASE);
    }
    is_behind = is_behind || first == (struct cbr_hazard *)&segment->end;
  }
  record->thread.top = first;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (struct segment *segment = start; segment; segment = segment->next)
    for (int index = 0; index < HAZARDS; index++) {
      struct cbr_hazard *hazard = &segment->hazards[index];
      if (!hazard->running && __atomic_exchange_n(&hazard->awaited, 0, __ATOMIC_ACQUIRE))
        is_awaited = true;
    }
  return is_awaited;
}

// Does what `end_from` does, and notifies the waiting threads.
static void end_and_notify(struct record *record, struct cbr_hazard *first) {
  if (end_from(record, first) && cbr_entered_call.ended) cbr_entered_call.ended(NULL);
}

// Gives up a record, whose hazard pointers the next owner finds cleared, because it acquires the
// record.
static void give_back(struct record *record) {
  __atomic_store_n(&record->is_used, false, __ATOMIC_RELEASE);
}

static void thread_ends(void *pointer) {
  struct record *record = pointer;
  // A thread may end during calls, by pthread_exit: those calls have ended too. Calls made by its
  // other destructors take another record.
  cbr_this_thread = &cbr_no_thread;
  end_and_notify(record, record->first.hazards);
  give_back(record);
}

// The child has one thread; the calls of the parent's other threads would never end in it.
static void in_forked_child(void) {
  for (struct record *record = first_record(); record; record = record->next) {
    if (&record->thread == cbr_this_thread) continue;
    // Objects that are waited for are freed later: the handlers of other libraries have yet to run.
    if (end_from(record, record->first.hazards)) has_ended_by_fork = true;
    give_back(record);
  }
  marking = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

bool cbr_hazards_have_ended_by_fork(void) {
  return __atomic_exchange_n(&has_ended_by_fork, false, __ATOMIC_ACQUIRE);
}

static void prepare(void) {
  has_membarrier = cbr_barrier_register();
  cbr_hazards_are_plain = has_membarrier && !HAS_THREAD_SANITIZER;
  if (pthread_key_create(&key, thread_ends) != 0) abort();
  pthread_atfork(NULL, NULL, in_forked_child);
}

// Takes a record if it is free, and acquires it: the last owner has cleared the hazard pointers.
static bool take(struct record *record) {
  bool is_used = false;
  return __atomic_compare_exchange_n(&record->is_used, &is_used, true, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static struct record *make_record(void) {
  struct record *record = cbr_hazard_memory(sizeof *record);
  prepare_hazards(record);
  record->is_used = true;
  // The exchange releases the record: a thread that acquires the first record sees that one, and
  // all that were inserted before, complete.
  record->next = first_record();
  while (!__atomic_compare_exchange_n(&records, &record->next, record, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {}
  return record;
}

struct cbr_thread *cbr_thread_register(void) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  struct record *record = first_record();
  while (record && !take(record)) record = record->next;
  if (!record) record = make_record();
  // A call of a signal's handler may have registered the thread meanwhile.
  if (cbr_this_thread != &cbr_no_thread) {
    give_back(record);
    return cbr_this_thread;
  }
  // A thread that finds itself alone in `order_all_threads` has either executed its fence before
  // this one, so that this thread sees the slots that it replaced, or finds this record.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  pthread_setspecific(key, record);
  cbr_this_thread = &record->thread;
  return &record->thread;
}

// Marks a hazard pointer. Returns false if it had the mark, or that of several objects.
//
// The mark is released here, and acquired where it is taken, so that the thread that takes it finds
// `cbr_entered_call` set.
static bool mark(struct cbr_hazard *hazard, uintptr_t what) {
  uintptr_t last = __atomic_load_n(&hazard->awaited, __ATOMIC_RELAXED), next;
  do {
    if (last == what || last == CBR_HAZARD_SEVERAL) return false;
    next = last ? CBR_HAZARD_SEVERAL : what;
  } while (!__atomic_compare_exchange_n(&hazard->awaited, &last, next, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
  return true;
}

// Whether the hazard pointers of a segment from an index on are empty; in few instructions, because
// most are.
static bool are_empty(const struct segment *segment, int index) {
  uintptr_t any = 0;
#pragma clang loop unroll_count(8)
  for (; index < HAZARDS; index++) any |= __atomic_load_n(&segment->hazards[index].running, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return !any;
}

// Counts a record's hazard pointers that protect `what`. None is left out: an empty one may precede
// others that are in use, because a signal may come between taking a hazard pointer and storing
// what it protects.
//
// If `is_new` is given, marks the outermost and sets `is_new` if it had no such mark: a thread that
// waits for all of them gains nothing from the end of the inner ones.
static size_t count(struct record *record, const void *what, bool is_running, bool *is_new) {
  size_t found = 0;
  // A thread that takes the record later finds the slots already replaced: see
  // `cbr_thread_register`.
  if (!__atomic_load_n(&record->is_used, __ATOMIC_ACQUIRE)) return 0;
  // Of its own record, the thread knows where the free ones begin.
  const struct cbr_hazard *top = &record->thread == cbr_this_thread ? record->thread.top : NULL;
  for (struct segment *segment = &record->first; segment;
       segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
    for (int index = 0; index < HAZARDS; index++) {
      struct cbr_hazard *hazard = &segment->hazards[index];
      if (hazard == top) return found;
      // This is loaded before `protecting`, which `cbr_hazard_protect_only` stores first.
      uintptr_t running = __atomic_load_n(&hazard->running, __ATOMIC_ACQUIRE);
      if (!running && are_empty(segment, index + 1)) break;
      if (running != (uintptr_t)what &&
          (is_running || __atomic_load_n(&hazard->protecting, __ATOMIC_ACQUIRE) != (uintptr_t)what))
        continue;
      if (!found++ && is_new && mark(hazard, (uintptr_t)what)) *is_new = true;
    }
  return found;
}

// Makes the stores of all threads that other threads made before this visible, and the reverse.
//
// Returns false if the kernel refuses, as under a seccomp filter that was installed after the
// registration. Waiting replaces the barrier then, if the caller accepts that: it is not enough for
// freeing memory.
static bool order_all_threads(bool is_time_enough) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  // A call in progress on a stack that was moved to another thread needs no record to store to its
  // hazard pointer.
  bool is_alone =
      cbr_this_thread == &cbr_no_thread || !cbr_hazards_have_other_stacks((struct record *)cbr_this_thread);
  for (struct record *record = first_record(); record; record = record->next)
    if (__atomic_load_n(&record->is_used, __ATOMIC_ACQUIRE) && &record->thread != cbr_this_thread)
      is_alone = false;
  return is_alone || !has_membarrier || cbr_barrier() ||
         (is_time_enough && cbr_wait_for_stores());
}

size_t cbr_hazards_await(const void *what, bool is_running) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  pthread_mutex_lock(&marking);
  bool is_ordered = true, is_new;
  size_t found;
  do {
    // A call that ended without seeing its mark is no longer found when all are counted again.
    is_ordered = order_all_threads(is_running) && is_ordered;
    is_new = false;
    found = 0;
    for (struct record *record = first_record(); record; record = record->next)
      found += count(record, what, is_running, &is_new);
  } while (is_new);
  pthread_mutex_unlock(&marking);
  // If the stores could not be ordered, assume one use.
  return found || is_ordered ? found : 1;
}

bool cbr_hazards_can_be_plain(void) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  return cbr_hazards_are_plain;
}

void cbr_hazard_store_ordered(uintptr_t *word, const void *what) {
  __atomic_store_n(word, (uintptr_t)what, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool cbr_hazard_confirm_ordered(struct cbr_hazard *hazard, const void *what, const void *const *slot) {
  cbr_hazard_store_ordered(&hazard->running, what ? what : hazard);
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE) == what;
}

void cbr_hazard_notify_brief(struct cbr_hazard *hazard) {
  // A waiting thread has either marked the hazard pointer before this load, or finds it protects
  // another object.
  if (__atomic_load_n(&hazard->awaited, __ATOMIC_RELAXED) && cbr_hazard_take_awaited(hazard) &&
      cbr_entered_call.ended)
    cbr_entered_call.ended(NULL);
}

const void *cbr_hazard_protect_again(struct cbr_hazard *hazard, const void *const *slot) {
  const void *what;
  do what = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  while (!cbr_hazard_confirm_ordered(hazard, what, slot));
  cbr_hazard_notify_brief(hazard);
  return what;
}

const void *cbr_slot_load(const void *const *slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

// The exchange releases what was made; the barrier of `order_all_threads` orders the exchange
// before the scan.
const void *cbr_slot_exchange(const void **slot, const void *what) {
  return __atomic_exchange_n(slot, what, __ATOMIC_ACQ_REL);
}

void cbr_hazards_return_to(struct cbr_hazard *top, const void *stack) {
  if (cbr_this_thread == &cbr_no_thread) return;
  struct record *record = (struct record *)cbr_this_thread;
  if (top != &record->disorder)
    end_and_notify(record, top ? top : record->first.hazards);
  else if (record->thread.top != top)
    // The record has left disorder since: no hazard pointer that was in use then is still in use.
    end_and_notify(record, record->first.hazards);
  else if (cbr_hazards_clear_left(record, stack) && cbr_entered_call.ended)
    cbr_entered_call.ended(NULL);
}

const void *cbr_hazard_take_awaited(struct cbr_hazard *hazard) {
  return (const void *)__atomic_exchange_n(&hazard->awaited, 0, __ATOMIC_ACQUIRE);
}

size_t cbr_hazards_count_here(const void *what) {
  struct cbr_thread *thread = cbr_this_thread;
  return thread != &cbr_no_thread ? count((struct record *)thread, what, true, NULL) : 0;
}
