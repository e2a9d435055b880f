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

bool swift_isDeallocating(void *object);

typedef SWIFT void destructor(SELF void *object);

// A class as the runtime lays it out where there is no Objective-C.
struct class_metadata {
  uintptr_t kind;
  const void *superclass;
  uint32_t flags, instance_address_point, instance_size;
  uint16_t instance_alignment_mask, reserved;
  uint32_t class_size, class_address_point;
  const void *description;
};

// What stands before it.
struct class_prefix {
  destructor *destroy;
  const void *value_witnesses;
};

static destructor **slot_of(const struct class_metadata *class) {
  return &((struct class_prefix *)class - 1)->destroy;
}

// Blocks begin with a pointer to zeros, other runtimes' objects with one to something that is not.
static const struct class_metadata *class_of(const void *object) {
  const struct class_metadata *class = *(const struct class_metadata *const *)object;
  if (!class || class->kind != 0 || !class->description) return NULL;
  // Another thread may be watching the class.
  return __atomic_load_n(slot_of(class), __ATOMIC_RELAXED) ? class : NULL;
}

static size_t hash_of(const void *address, unsigned bits) {
  return (size_t)((((uintptr_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits));
}

// Watched classes: lists that only grow, at their front, and that need no lock to be read.

struct watched_class {
  const struct class_metadata *class;
  destructor *original;
  const struct watched_class *next;
};

#define CLASS_BITS 12
static const struct watched_class *classes[1 << CLASS_BITS];
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;
static const struct cbr_destruction_handlers *handlers;

static const struct watched_class *find(const struct class_metadata *class) {
  const struct watched_class *found =
      __atomic_load_n(&classes[hash_of(class, CLASS_BITS)], __ATOMIC_ACQUIRE);
  while (found && found->class != class) found = found->next;
  return found;
}

// The destructor that `destroy` stands for. A class may be a copy of a watched one, made after that
// was watched, as those who change the class of one object make them: its slot is the other's.
static destructor *original_of(const struct class_metadata *class) {
  const struct watched_class *found = NULL;
  for (; class && !found; class = class->superclass) found = find(class);
  return found ? found->original : NULL;
}

// Marked objects: how many records there are for each hash of an address. Whoever marks an object
// holds a reference, so that its end, on whatever thread, comes after and sees the mark.

#define MARK_BITS 18
static uint32_t marks[1 << MARK_BITS];

void cbr_mark_object(const void *object) {
  __atomic_fetch_add(&marks[hash_of(object, MARK_BITS)], 1, __ATOMIC_RELAXED);
}

void cbr_unmark_object(const void *object) {
  __atomic_fetch_sub(&marks[hash_of(object, MARK_BITS)], 1, __ATOMIC_RELAXED);
}

bool cbr_object_is_marked(const void *object) {
  return __atomic_load_n(&marks[hash_of(object, MARK_BITS)], __ATOMIC_RELAXED) != 0;
}

// Objects whose deinit this thread is running, the innermost first.

struct dying_object {
  const struct dying_object *outer;
  const void *object;
  void *record;
};

static __thread const struct dying_object *dying_objects;

static NO_INLINE SWIFT void destroy_marked(SELF void *object, destructor *original) {
  const struct cbr_destruction_handlers *known = __atomic_load_n(&handlers, __ATOMIC_ACQUIRE);
  void *record = known->take(object);
  if (!record) {
    original(object);
    return;
  }
  struct dying_object dying = {dying_objects, object, record};
  dying_objects = &dying;
  known->will_die(record, object);
  original(object);
  cbr_stack_list_remove(&dying_objects, &dying);
  known->did_die(record);
}

static __thread void *ended_within;

void *cbr_ended_within(void) { return ended_within; }
void cbr_set_ended_within(void *list) { ended_within = list; }

// What stands in the slot of every watched class.
static SWIFT void destroy(SELF void *object) {
  // `watch` lists the class before its slot is stored, with release. The runtime has loaded the slot
  // without an order, and a branch to what it loaded orders no loads: a processor may have read the
  // list before, as it was, where only a superclass's original may be found. This is the acquire that
  // the release pairs with: on AArch64 `dmb ishld`, which no later load passes until all earlier ones
  // are done, whoever made them; on x86-64, which keeps loads in order, no instruction.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  const struct class_metadata *class = *(const struct class_metadata *const *)object;
  destructor *original = original_of(class);
  // A copy that hides what it was copied from: its object cannot be destroyed, but need not crash.
  if (!original) return;
  if (__builtin_expect(cbr_object_is_marked(object), false))
    destroy_marked(object, original);
  else
    original(object);
}

bool cbr_object_is_dying(const void *object) { return swift_isDeallocating((void *)object); }

void *cbr_dying_record(const void *object) {
  const struct dying_object *dying = dying_objects;
  while (dying && dying->object != object) dying = dying->outer;
  // Where an actor does the deinit later, another object may lie there by now: that one is alive.
  return dying && cbr_object_is_dying(object) ? dying->record : NULL;
}

// Asks the kernel, which adds nothing to the word, atomically, or says that it must not.
static bool is_writable(void *word) {
  uint32_t unused = 0;
  int operation = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
  return syscall(SYS_futex, &unused, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, word,
                 operation) >= 0;
}

static enum cbr_watch_result watch(const struct class_metadata *class) {
  destructor **slot = slot_of(class);
  if (!is_writable(slot)) return CBR_WATCH_PROTECTED;
  struct watched_class *watched = malloc(sizeof *watched);
  if (!watched) return CBR_WATCH_NO_MEMORY;
  size_t index = hash_of(class, CLASS_BITS);
  watched->class = class;
  watched->original = *slot == destroy ? original_of(class) : *slot;
  watched->next = classes[index];
  // Whoever enters `destroy` finds the original: see its fence.
  __atomic_store_n(&classes[index], watched, __ATOMIC_RELEASE);
  __atomic_store_n(slot, destroy, __ATOMIC_RELEASE);
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
  *is_new = !find(class);
  enum cbr_watch_result result = *is_new ? watch(class) : CBR_WATCHED;
  pthread_mutex_unlock(&watching);
  return result;
}

enum cbr_watch_result cbr_watch_class_of(const void *object,
                                         const struct cbr_destruction_handlers *given) {
  const struct class_metadata *class = class_of(object);
  if (!class) return CBR_WATCH_NO_CLASS;
  if (cbr_object_is_dying(object)) return CBR_WATCH_DYING;
  // A class is in its list before its slot is replaced: who finds the slot as it was waits for it.
  if (__atomic_load_n(slot_of(class), __ATOMIC_ACQUIRE) == destroy && find(class))
    return CBR_WATCHED;
  // A watched class stays so, and what its objects' end calls stays loaded. The loader is called under
  // no lock.
  void *image = cbr_keep_image((const void *)__atomic_load_n(slot_of(class), __ATOMIC_RELAXED));
  bool is_new;
  enum cbr_watch_result result = watch_once(class, given, &is_new);
  if (image && !(is_new && result == CBR_WATCHED)) cbr_give_up_image(image);
  return result;
}
