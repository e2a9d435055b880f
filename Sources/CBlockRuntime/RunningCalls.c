#define _GNU_SOURCE
#include "CBRRunningCalls.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CBRInterposedCalls.h"

enum { PLACES = 62 };

struct segment {
  struct segment *next;
  struct cbr_running places[PLACES];
  // Odd, which no announcement is.
  uintptr_t end;
};

// One thread's announcements. Records are never freed, only used again: others may be reading them.
struct record {
  struct cbr_thread thread;
  struct record *next;
  bool is_used;
  struct segment first;
};

static struct cbr_running no_place = {1, 0};
struct cbr_thread cbr_no_thread = {&no_place, 0};
_Thread_local struct cbr_thread *cbr_this_thread = &cbr_no_thread;
struct cbr_entered_call cbr_entered_call;

_Static_assert(offsetof(struct cbr_thread, top) == CBR_THREAD_TOP, "assembly");
_Static_assert(offsetof(struct cbr_thread, is_awaited) == CBR_THREAD_IS_AWAITED ||
                   sizeof(void *) != 8, "assembly");
_Static_assert(offsetof(struct cbr_running, kept) == CBR_RUNNING_KEPT || sizeof(void *) != 8,
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record *records;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

static void empty(struct record *record) {
  for (struct segment *segment = &record->first; segment; segment = segment->next)
    for (int index = 0; index < PLACES; index++)
      segment->places[index] = (struct cbr_running){0, 0};
  record->thread.top = record->first.places;
  record->thread.is_awaited = 0;
}

static void thread_ends(void *pointer) {
  struct record *record = pointer;
  pthread_mutex_lock(&lock);
  // A thread may end inside of calls, by pthread_exit: they have ended too.
  bool is_awaited = record->thread.is_awaited;
  empty(record);
  record->is_used = false;
  pthread_mutex_unlock(&lock);
  cbr_this_thread = &cbr_no_thread;
  if (is_awaited && cbr_entered_call.ended) cbr_entered_call.ended();
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

// The child has one thread: the others' calls will never end there.
static void in_forked_child(void) {
  for (struct record *record = records; record; record = record->next) {
    if (&record->thread == cbr_this_thread) continue;
    empty(record);
    record->is_used = false;
  }
  pthread_mutex_unlock(&lock);
}

static void prepare(void) {
  has_membarrier = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  cbr_running_is_plain = has_membarrier && !HAS_THREAD_SANITIZER;
  if (pthread_key_create(&key, thread_ends) != 0) abort();
  pthread_atfork(before_fork, after_fork, in_forked_child);
}

struct cbr_thread *cbr_thread_register(void) {
  // What is called here may be hooked itself, and would come here again.
  cbr_begin_passing();
  pthread_once(&once, prepare);
  pthread_mutex_lock(&lock);
  struct record *record = records;
  while (record && record->is_used) record = record->next;
  if (!record) {
    record = calloc(1, sizeof *record);
    if (!record) abort();
    record->first.end = 1;
    record->thread.top = record->first.places;
    record->next = records;
    records = record;
  }
  record->is_used = true;
  pthread_mutex_unlock(&lock);
  pthread_setspecific(key, record);
  cbr_this_thread = &record->thread;
  cbr_end_passing();
  return &record->thread;
}

struct cbr_running *cbr_thread_next_segment(struct cbr_thread *thread) {
  // `top` is the end of a segment, which is the segment's last word.
  struct segment *segment =
      (struct segment *)((char *)thread->top - offsetof(struct segment, end));
  struct segment *next = __atomic_load_n(&segment->next, __ATOMIC_RELAXED);
  if (!next) {
    cbr_begin_passing();
    next = calloc(1, sizeof *next);
    cbr_end_passing();
    if (!next) abort();
    next->end = 1;
    __atomic_store_n(&segment->next, next, __ATOMIC_RELEASE);
  }
  return next->places;
}

// Announcements are a stack: behind an empty place there are none, or only such as came later.
static size_t count(struct record *record, const void *what, bool is_running) {
  size_t found = 0;
  for (struct segment *segment = &record->first; segment;
       segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
    for (int index = 0; index < PLACES; index++) {
      struct cbr_running *place = &segment->places[index];
      uintptr_t running = __atomic_load_n(&place->what, __ATOMIC_ACQUIRE);
      if (!running) return found;
      if (running == (uintptr_t)what ||
          (!is_running && __atomic_load_n(&place->kept, __ATOMIC_ACQUIRE) == (uintptr_t)what))
        found++;
    }
  return found;
}

// Makes the stores of all threads that other threads made before this visible, and the reverse.
//
// False if the kernel does not do it any more, as behind a filter installed later.
static bool order_all_threads(void) {
  bool is_alone = true;
  for (struct record *record = records; record; record = record->next)
    if (record->is_used && &record->thread != cbr_this_thread) is_alone = false;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return is_alone || !has_membarrier || barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

size_t cbr_running_await(const void *what, bool is_running) {
  pthread_once(&once, prepare);
  pthread_mutex_lock(&lock);
  bool is_ordered = order_all_threads();
  size_t found = 0;
  for (struct record *record = records; record; record = record->next) {
    size_t here = record->is_used ? count(record, what, is_running) : 0;
    if (here) __atomic_store_n(&record->thread.is_awaited, 1, __ATOMIC_RELAXED);
    found += here;
  }
  if (found) {
    // A call that ended before it could see the mark has ended now.
    is_ordered = order_all_threads() && is_ordered;
    found = 0;
    for (struct record *record = records; record; record = record->next)
      if (record->is_used) found += count(record, what, is_running);
  }
  pthread_mutex_unlock(&lock);
  // Where it is not known who keeps what, everything is kept.
  return found || is_ordered || is_running ? found : 1;
}

bool cbr_running_can_be_plain(void) {
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
  return __atomic_load_n(&cbr_this_thread->is_awaited, __ATOMIC_RELAXED) != 0;
}

const void *cbr_slot_load(const void *const *slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

const void *cbr_slot_exchange(const void **slot, const void *what) {
  return __atomic_exchange_n(slot, what, __ATOMIC_ACQ_REL);
}

void cbr_running_clear_awaited(void) {
  if (cbr_this_thread != &cbr_no_thread)
    __atomic_store_n(&cbr_this_thread->is_awaited, 0, __ATOMIC_RELAXED);
}

size_t cbr_running_count_here(const void *what) {
  struct cbr_thread *thread = cbr_this_thread;
  return thread != &cbr_no_thread ? count((struct record *)thread, what, true) : 0;
}
