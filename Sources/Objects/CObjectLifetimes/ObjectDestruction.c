#define _GNU_SOURCE
#include "CBRObjectDestruction.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CBRLoadedImages.h"
#include "CBROwnCalls.h"
#include "CBRThreadStack.h"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define NO_INLINE __attribute__((noinline))

typedef SWIFT void destructor(SELF void *object);

// The metadata of a class, as the runtime lays it out on platforms without Objective-C.
struct class_metadata {
  uintptr_t kind;
  const void *superclass;
  uint32_t flags, instance_address_point, instance_size;
  uint16_t instance_alignment_mask, reserved;
  uint32_t class_size, class_address_point;
  const void *description;
};

// The words before the metadata.
struct class_prefix {
  destructor *destroy;
  const void *value_witnesses;
};

static destructor **slot_of(const struct class_metadata *class) {
  return &((struct class_prefix *)class - 1)->destroy;
}

// The first word of an object as its class; NULL if that is no Swift class: a block's first word
// points to zeros, the first word of another runtime's object to data that is not class metadata.
static const struct class_metadata *checked(const void *word) {
  const struct class_metadata *class = word;
  if (!class || class->kind != 0 || !class->description) return NULL;
  // Another thread may be replacing the destructor.
  return __atomic_load_n(slot_of(class), __ATOMIC_RELAXED) ? class : NULL;
}

const struct cbr_watched_class *cbr_watched_classes[1 << CBR_CLASS_BITS];
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;
static const struct cbr_destruction_handlers *handlers;

// The entry of a class whose destructor is `destroy_watched`. A class that is not in the list may
// be a copy of a watched class, made to change the class of a single object: its slot was copied
// from the watched class.
static const struct cbr_watched_class *find_watched(const struct class_metadata *class) {
  const struct cbr_watched_class *found = NULL;
  for (; class && !found; class = class->superclass) found = cbr_find_watched_class(class);
  return found;
}

uint32_t cbr_marks[1 << CBR_MARK_BITS];

_Thread_local const struct cbr_dying_object *cbr_dying_objects;
_Thread_local void *cbr_ended_list;

static NO_INLINE SWIFT void destroy_noticed(SELF void *object, destructor *original, void *stored) {
  const struct cbr_destruction_handlers *known = __atomic_load_n(&handlers, __ATOMIC_ACQUIRE);
  const void *class = *(const void *const *)object;
  void *record = cbr_object_is_marked(object) ? known->take(object) : NULL;
  void *class_hooks = stored ? known->hold_class_hooks(stored) : NULL;
  if (record && class_hooks) record = known->join(record, class_hooks, object);

  struct cbr_dying_object dying = {cbr_dying_objects, object, record};
  if (record) {
    cbr_dying_objects = &dying;
    known->will_die(record, object);
  }
  if (class_hooks) known->instance_will_die(class_hooks, object);
  original(object);
  if (record) {
    if (cbr_dying_objects == &dying)
      cbr_dying_objects = dying.outer;
    else
      cbr_stack_list_remove(&cbr_dying_objects, &dying);
    known->did_die(record);
  }
  if (class_hooks) known->instance_did_die(class_hooks, object, class, record != NULL);
}

// The destructor in the slot of every watched class.
static SWIFT void destroy_watched(SELF void *object) {
  // `watch` adds the class to the list before it stores the slot, with release. The runtime loaded
  // the slot without ordering, and a branch to the loaded address orders no loads: a processor may
  // have read the list earlier, without the class, and would find only a superclass's original.
  // This fence is the acquire that pairs with the release: on AArch64 `dmb ishld`, which completes
  // all earlier loads, the runtime's included, before later ones; on x86-64, which keeps loads in
  // order, it emits no instruction.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const struct class_metadata *class = *(const struct class_metadata *const *)object;
  const struct cbr_watched_class *watched = find_watched(class);
  // The class is a copy, and its original cannot be found: leak the object instead of crashing.
  destructor *original = watched ? (destructor *)watched->original : NULL;
  if (!original) return;
  void *stored = __atomic_load_n(&watched->hooks, __ATOMIC_ACQUIRE);
  if (__builtin_expect(stored || cbr_object_is_marked(object), false))
    destroy_noticed(object, original, stored);
  else
    original(object);
}

void *cbr_find_dying_record(const void *object) {
  const struct cbr_dying_object *dying = cbr_dying_objects;
  while (dying && dying->object != object) dying = dying->outer;
  // If an actor runs the isolated deinit later, another object may have this address by now: a live
  // one.
  return dying && cbr_object_is_dying(object) ? dying->record : NULL;
}

// Whether a word can be written: the kernel adds 0 to it, atomically, which fails if it cannot.
static bool is_writable(void *word) {
  uint32_t unused = 0;
  int operation = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
  return syscall(SYS_futex, &unused, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, word,
                 operation) >= 0;
}

static enum cbr_watch_result watch(const struct class_metadata *class) {
  destructor **slot = slot_of(class);
  if (!is_writable(slot)) return CBR_WATCH_PROTECTED;
  struct cbr_watched_class *watched = malloc(sizeof *watched);
  if (!watched) return CBR_WATCH_NO_MEMORY;
  const struct cbr_watched_class **first = &cbr_watched_classes[cbr_hash_of(class, CBR_CLASS_BITS)];
  destructor *original = *slot;
  if (original == destroy_watched) {  // The class is a copy of a watched class.
    const struct cbr_watched_class *copied = find_watched(class);
    original = copied ? (destructor *)copied->original : NULL;
  }
  *watched = (struct cbr_watched_class){class, (const void *)original, *first, false, NULL};
  // A thread that enters `destroy_watched` through this slot finds the class in the list: see its
  // fence.
  __atomic_store_n(first, watched, __ATOMIC_RELEASE);
  __atomic_store_n(slot, destroy_watched, __ATOMIC_RELEASE);
  return CBR_WATCHED;
}

static enum cbr_watch_result watch_once(const struct class_metadata *class,
                                        const struct cbr_destruction_handlers *given, bool *is_new) {
  OWN_CALLS;
  pthread_mutex_lock(&watching);
  if (!handlers) {
    static struct cbr_destruction_handlers copy;
    copy = *given;
    __atomic_store_n(&handlers, &copy, __ATOMIC_RELEASE);
  }
  *is_new = !cbr_find_watched_class(class);
  enum cbr_watch_result result = *is_new ? watch(class) : CBR_WATCHED;
  pthread_mutex_unlock(&watching);
  return result;
}

enum cbr_watch_result cbr_watch_class(const void *word, const struct cbr_destruction_handlers *given) {
  const struct class_metadata *class = checked(word);
  if (!class) return CBR_WATCH_NO_CLASS;
  // A class stays watched, so the image of its destructor must stay loaded. The loader is called
  // while no lock is held.
  void *image = cbr_keep_image((const void *)__atomic_load_n(slot_of(class), __ATOMIC_RELAXED));
  bool is_new;
  enum cbr_watch_result result = watch_once(class, given, &is_new);
  if (image && !(is_new && result == CBR_WATCHED)) cbr_give_up_image(image);
  return result;
}

enum cbr_watch_result cbr_watch_class_of(const void *object,
                                         const struct cbr_destruction_handlers *given) {
  const void *class = *(const void *const *)object;
  if (!checked(class)) return CBR_WATCH_NO_CLASS;
  if (cbr_object_is_dying(object)) return CBR_WATCH_DYING;
  if (cbr_class_is_watched(object)) return CBR_WATCHED;
  return cbr_watch_class(class, given);
}

void cbr_complete_watching(const void *class) {
  struct cbr_watched_class *found = (struct cbr_watched_class *)cbr_find_watched_class(class);
  if (found) __atomic_store_n(&found->is_complete, true, __ATOMIC_RELEASE);
}

void cbr_set_class_hooks(const void *class, void *hooks) {
  struct cbr_watched_class *found = (struct cbr_watched_class *)cbr_find_watched_class(class);
  if (found) __atomic_store_n(&found->hooks, hooks, __ATOMIC_RELEASE);
}
