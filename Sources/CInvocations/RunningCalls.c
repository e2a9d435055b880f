#define _GNU_SOURCE
#include "CBRRunningCalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "RunningPlaces.h"

static struct cbr_running no_place = {.what = 1};
struct cbr_thread cbr_no_thread = {&no_place};
_Thread_local struct cbr_thread *cbr_this_thread = &cbr_no_thread;
struct cbr_entered_call cbr_entered_call;

_Static_assert(offsetof(struct cbr_thread, top) == CBR_THREAD_TOP, "assembly");
_Static_assert(offsetof(struct cbr_running, kept) == CBR_RUNNING_KEPT || sizeof(void *) != 8,
               "assembly");
_Static_assert(offsetof(struct cbr_running, awaited) == CBR_RUNNING_AWAITED || sizeof(void *) != 8,
               "assembly");
_Static_assert(offsetof(struct cbr_running, stack) == CBR_RUNNING_STACK || sizeof(void *) != 8,
               "assembly");
_Static_assert(sizeof(struct cbr_running) == CBR_RUNNING_SIZE || sizeof(void *) != 8, "assembly");
bool cbr_running_is_plain;

static bool has_membarrier;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER true
#endif
#endif
#ifndef HAS_THREAD_SANITIZER
#define HAS_THREAD_SANITIZER false
#endif

// All of them; it only grows, at its front.
static struct record *records;
// Held by who marks places: a mark that comes late must not take the place of another's.
static pthread_mutex_t marking = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

static struct record *first_record(void) { return __atomic_load_n(&records, __ATOMIC_ACQUIRE); }

// Ends what is announced from a place on; the first free place is that place then.
//
// Whether somebody awaits that. The marks are read last: who makes them looks again at what is
// announced.
static bool end_from(struct record *record, struct cbr_running *first) {
  bool is_behind = false, is_awaited = false;
  struct segment *start = NULL;
  for (struct segment *segment = &record->first; segment; segment = segment->next) {
    for (int index = 0; index < PLACES; index++) {
      is_behind = is_behind || first == &segment->places[index];
      if (!is_behind) continue;
      if (!start) start = segment;
      __atomic_store_n(&segment->places[index].kept, 0, __ATOMIC_RELEASE);
      __atomic_store_n(&segment->places[index].what, 0, __ATOMIC_RELEASE);
    }
    is_behind = is_behind || first == (struct cbr_running *)&segment->end;
  }
  record->thread.top = first;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (struct segment *segment = start; segment; segment = segment->next)
    for (int index = 0; index < PLACES; index++) {
      struct cbr_running *place = &segment->places[index];
      if (!place->what && __atomic_exchange_n(&place->awaited, 0, __ATOMIC_RELAXED))
        is_awaited = true;
    }
  return is_awaited;
}

// The same, and tells those who await the end of one of the thread's calls.
static void end_and_tell(struct record *record, struct cbr_running *first) {
  if (end_from(record, first) && cbr_entered_call.ended) cbr_entered_call.ended(NULL);
}

static void give_back(struct record *record) {
  __atomic_store_n(&record->is_used, false, __ATOMIC_RELEASE);
}

static void thread_ends(void *pointer) {
  struct record *record = pointer;
  // A thread may end inside of calls, by pthread_exit: they have ended too. What it still calls, in
  // other destructors, is announced in another record.
  cbr_this_thread = &cbr_no_thread;
  end_and_tell(record, record->first.places);
  give_back(record);
}

// The child has one thread: the others' calls will never end there.
static void in_forked_child(void) {
  for (struct record *record = first_record(); record; record = record->next) {
    if (&record->thread == cbr_this_thread) continue;
    end_from(record, record->first.places);
    give_back(record);
  }
  marking = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void prepare(void) {
  has_membarrier = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  cbr_running_is_plain = has_membarrier && !HAS_THREAD_SANITIZER;
  if (pthread_key_create(&key, thread_ends) != 0) abort();
  pthread_atfork(NULL, NULL, in_forked_child);
}

static bool take(struct record *record) {
  bool is_used = false;
  return __atomic_compare_exchange_n(&record->is_used, &is_used, true, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static struct record *make_record(void) {
  struct record *record = calloc(1, sizeof *record);
  if (!record) abort();
  prepare_places(record);
  record->is_used = true;
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
  // Who takes itself for the only thread (`order_all_threads`) did so after this, or what it has
  // replaced before is seen by this thread.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  pthread_setspecific(key, record);
  cbr_this_thread = &record->thread;
  return &record->thread;
}

// Behind an empty place there are no announcements, or only such as came later.
//
// Marks the outermost if there is `is_new`, which becomes true if it was not marked: the end of the
// others inside of it changes nothing for who awaits them all.
static size_t count(struct record *record, const void *what, bool is_running, bool *is_new) {
  size_t found = 0;
  for (struct segment *segment = &record->first; segment;
       segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
    for (int index = 0; index < PLACES; index++) {
      struct cbr_running *place = &segment->places[index];
      uintptr_t running = __atomic_load_n(&place->what, __ATOMIC_ACQUIRE);
      if (!running) return found;
      if (running != (uintptr_t)what &&
          (is_running || __atomic_load_n(&place->kept, __ATOMIC_ACQUIRE) != (uintptr_t)what))
        continue;
      if (!found++ && is_new &&
          __atomic_exchange_n(&place->awaited, (uintptr_t)what, __ATOMIC_RELAXED) !=
              (uintptr_t)what)
        *is_new = true;
    }
  return found;
}

// Waits for what processors have stored and not yet shown: that takes them microseconds, and ends with
// their next interrupt. False if the kernel does not let us.
static bool wait_for_stores(void) {
  static const struct timespec long_enough = {.tv_nsec = 10000000};
  uint32_t word = 0;
  while (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &long_enough) == 0 || errno == EINTR) {}
  return errno == ETIMEDOUT;
}

// Makes the stores of all threads that other threads made before this visible, and the reverse.
//
// False if the kernel does not do it any more, as behind a filter that was installed after the barrier
// was registered. Time is the order then, where that is good enough: not for freeing memory.
static bool order_all_threads(bool is_time_enough) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  bool is_alone = true;
  for (struct record *record = first_record(); record; record = record->next)
    if (__atomic_load_n(&record->is_used, __ATOMIC_ACQUIRE) && &record->thread != cbr_this_thread)
      is_alone = false;
  return is_alone || !has_membarrier || barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         (is_time_enough && wait_for_stores());
}

size_t cbr_running_await(const void *what, bool is_running) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  pthread_mutex_lock(&marking);
  bool is_ordered = true, is_new;
  size_t found;
  do {
    // A call that ended before it could see its mark has ended when all are counted again.
    is_ordered = order_all_threads(is_running) && is_ordered;
    is_new = false;
    found = 0;
    for (struct record *record = first_record(); record; record = record->next)
      found += count(record, what, is_running, &is_new);
  } while (is_new);
  pthread_mutex_unlock(&marking);
  // Where it is not known who uses what, somebody does.
  return found || is_ordered ? found : 1;
}

bool cbr_running_can_be_plain(void) {
  OWN_CALLS;
  pthread_once(&once, prepare);
  return cbr_running_is_plain;
}

struct cbr_running *cbr_running_begin_ordered(const void *what) {
  struct cbr_running *place = cbr_running_place();
  cbr_running_announce(&place->what, what, false);
  return place;
}

struct cbr_running *cbr_running_begin_slot_ordered(const void *_Nullable const *_Nonnull slot) {
  return cbr_running_begin_slot_by(slot, false);
}

bool cbr_running_end_ordered(struct cbr_running *place) { return cbr_running_end_by(place, false); }

bool cbr_running_keep_only(struct cbr_running *place, const void *what) {
  __atomic_store_n(&place->kept, (uintptr_t)what, __ATOMIC_RELEASE);
  // Not 0, which would end the stack.
  cbr_running_announce(&place->what, place, false);
  return __atomic_load_n(&place->awaited, __ATOMIC_RELAXED) != 0;
}

void cbr_running_tell_of_moment(struct cbr_running *place) {
  // Whoever awaits has marked the place before this looks, or finds something else announced there.
  if (__atomic_load_n(&place->awaited, __ATOMIC_RELAXED) && cbr_running_take_awaited(place) &&
      cbr_entered_call.ended)
    cbr_entered_call.ended(NULL);
}

const void *cbr_running_announce_again(struct cbr_running *place, const void *const *slot) {
  const void *what;
  do {
    what = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    cbr_running_announce(&place->what, what ? what : place, false);
  } while (__atomic_load_n(slot, __ATOMIC_ACQUIRE) != what);
  cbr_running_tell_of_moment(place);
  return what;
}

const void *cbr_slot_load(const void *const *slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

const void *cbr_slot_exchange(const void **slot, const void *what) {
  return __atomic_exchange_n(slot, what, __ATOMIC_ACQ_REL);
}

void cbr_running_return_to(struct cbr_running *top, const void *stack) {
  if (cbr_this_thread == &cbr_no_thread) return;
  struct record *record = (struct record *)cbr_this_thread;
  if (top != &record->disorder)
    end_and_tell(record, top ? top : record->first.places);
  else if (record->thread.top != top)
    // There is order since: nothing of that time is announced any more.
    end_and_tell(record, record->first.places);
  else if (cbr_running_end_left(record, stack) && cbr_entered_call.ended)
    cbr_entered_call.ended(NULL);
}

const void *cbr_running_take_awaited(struct cbr_running *place) {
  return (const void *)__atomic_exchange_n(&place->awaited, 0, __ATOMIC_RELAXED);
}

size_t cbr_running_count_here(const void *what) {
  struct cbr_thread *thread = cbr_this_thread;
  return thread != &cbr_no_thread ? count((struct record *)thread, what, true, NULL) : 0;
}
