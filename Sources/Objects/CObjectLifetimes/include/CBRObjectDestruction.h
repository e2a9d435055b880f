// Notifications of the destruction of Swift objects, for any Swift class.
//
// Two words before a class's metadata is its deallocating destructor: the runtime calls it with an
// object of exactly that class when the last reference is released; a subclass's destructor calls
// the superclass's deinit itself. Watching a class replaces that word, permanently. The destruction
// of an unmarked object then costs two look-ups; for a marked object, the handlers are called.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbr_destruction_handlers {
  // Takes the object's record out of the caller's tables, and returns it, for the other two
  // handlers. NULL if the object has none; then these are not called.
  void *(*take)(const void *object);
  // Called before the object's deinit.
  void (*will_die)(void *record, const void *object);
  // Called after the object's deinit, when its memory has been freed. If the deinit is isolated to
  // an actor that has yet to run it, called before both.
  void (*did_die)(void *record);

  // Takes a reference to the present hooks of an object's class, for the calls below; the argument
  // is the pointer that `cbr_set_class_hooks` stored. NULL if there are no hooks.
  void *(*hold_class_hooks)(void *stored);
  // Adds the hooks that run after the deinit to the object's record; returns the record, which may
  // then be another one. Not called if there is no record.
  void *(*join)(void *record, void *class_hooks, const void *object);
  // Called before the object's deinit, after `will_die`.
  void (*instance_will_die)(void *class_hooks, const void *object);
  // Called after the object's deinit, and after `did_die`. Runs the hooks that run after the
  // deinit, unless `join` was called; releases the reference of `hold_class_hooks`.
  void (*instance_did_die)(void *class_hooks, const void *object, const void *class, bool has_joined);
};

enum cbr_watch_result {
  CBR_WATCHED,
  // The object is a block, a value's box, or something else that has no Swift class.
  CBR_WATCH_NO_CLASS,
  // The object's last reference has been released.
  CBR_WATCH_DYING,
  // The class's metadata is read-only memory.
  CBR_WATCH_PROTECTED,
  CBR_WATCH_NO_MEMORY,
};

// Watches the class of a live object; `cbr_complete_watching` is to be called afterwards. The
// handlers of the first call are copied, and used for all classes: all calls must pass equal ones.
enum cbr_watch_result cbr_watch_class_of(const void *object,
                                         const struct cbr_destruction_handlers *handlers);

// Watches a class, as `cbr_watch_class_of` does that of an object.
enum cbr_watch_result cbr_watch_class(const void *class, const struct cbr_destruction_handlers *handlers);

// Completes the watching of a class, after its hooks were set.
void cbr_complete_watching(const void *class);

// Stores the object that owns the hooks of a watched class, or NULL. Destructions on other threads
// may still use the previous one.
void cbr_set_class_hooks(const void *class, void *hooks);

bool swift_isDeallocating(void *object);

// Whether the last reference to the object, which must have a Swift class, has been released.
static inline bool cbr_object_is_dying(const void *object) {
  return swift_isDeallocating((void *)object);
}

static inline size_t cbr_hash_of(const void *address, unsigned bits) {
  return (size_t)((((uintptr_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits));
}

// Watched classes, by hash: linked lists that only grow, at the front, and are read without a lock.
struct cbr_watched_class {
  const void *class;
  const void *original;
  const struct cbr_watched_class *next;
  // Whether the class's destructor has been replaced, and `hooks` has been set; the class is listed
  // before that.
  bool is_complete;
  // The object that owns the hooks of all objects of the class, or NULL.
  void *hooks;
};

#define CBR_CLASS_BITS 12
extern const struct cbr_watched_class *cbr_watched_classes[1 << CBR_CLASS_BITS]
    __attribute__((visibility("hidden")));

static inline const struct cbr_watched_class *cbr_find_watched_class(const void *class) {
  const struct cbr_watched_class *found = __atomic_load_n(
      &cbr_watched_classes[cbr_hash_of(class, CBR_CLASS_BITS)], __ATOMIC_ACQUIRE);
  while (found && found->class != class) found = found->next;
  return found;
}

// Whether the class of the object, which need not have one, is watched, and the object is alive:
// then `cbr_watch_class_of` need not be called.
static inline bool cbr_class_is_watched(const void *object) {
  const struct cbr_watched_class *found = cbr_find_watched_class(*(const void *const *)object);
  return found && __atomic_load_n(&found->is_complete, __ATOMIC_ACQUIRE) &&
         !cbr_object_is_dying(object);
}

// Marked objects: the number of records for each hash of an address, so that an object without
// records need not be looked up in a table. The caller that marks an object holds a reference to
// it: the object's destruction, on any thread, happens after and sees the mark.
#define CBR_MARK_BITS 18
extern uint32_t cbr_marks[1 << CBR_MARK_BITS] __attribute__((visibility("hidden")));

// Counts a record of the object. Each call is balanced by one of `cbr_unmark_object`.
static inline void cbr_mark_object(const void *object) {
  __atomic_fetch_add(&cbr_marks[cbr_hash_of(object, CBR_MARK_BITS)], 1, __ATOMIC_RELAXED);
}

static inline void cbr_unmark_object(const void *object) {
  __atomic_fetch_sub(&cbr_marks[cbr_hash_of(object, CBR_MARK_BITS)], 1, __ATOMIC_RELAXED);
}

// Whether there may be a record of the object. False only if there is none.
static inline bool cbr_object_is_marked(const void *object) {
  return __atomic_load_n(&cbr_marks[cbr_hash_of(object, CBR_MARK_BITS)], __ATOMIC_RELAXED) != 0;
}

// An object whose deinit is running on this thread.
struct cbr_dying_object {
  const struct cbr_dying_object *outer;
  const void *object;
  void *record;
};

// The objects whose deinits are running on this thread, the innermost first.
extern _Thread_local const struct cbr_dying_object *cbr_dying_objects
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

void *cbr_find_dying_record(const void *object);

// The record of an object whose deinit this thread is running, or NULL.
static inline void *cbr_dying_record(const void *object) {
  return cbr_dying_objects ? cbr_find_dying_record(object) : NULL;
}

// A word of thread-local storage for the handlers: their list of records that end while another
// does.
extern _Thread_local void *cbr_ended_list
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline void *cbr_ended_within(void) { return cbr_ended_list; }
static inline void cbr_set_ended_within(void *list) { cbr_ended_list = list; }
