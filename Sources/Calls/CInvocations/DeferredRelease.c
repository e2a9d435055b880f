#include "CBRDeferredRelease.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "CBRBlockLiteral.h"
#include "CBROwnCalls.h"

void swift_release(void *object);

static pthread_key_t key;
static int key_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Thread_local struct {
  void *object;
  // Whether the object is released when the thread ends.
  bool has_key;
} here;

static void release(void *object) {
  const void *isa = *(const void *const *)object;
  if (isa == _NSConcreteMallocBlock || isa == _NSConcreteStackBlock)
    _Block_release(object);
  else
    swift_release(object);
}

static void give_up(void) {
  // A deinit may call cbr_release_later and leave another object here.
  void *previous;
  while ((previous = here.object)) {
    here.object = NULL;
    release(previous);
  }
}

static void thread_ends(void *thread) {
  // Another destructor may call cbr_release_later, which then sets the key again.
  here.has_key = false;
  give_up();
}

static void make_key(void) { key_error = pthread_key_create(&key, thread_ends); }

static bool set_key(void) {
  OWN_CALLS;
  pthread_once(&once, make_key);
  here.has_key = !key_error && pthread_setspecific(key, &here) == 0;
  return here.has_key;
}

void cbr_release_later(void *object) {
  // A global block has no reference count, and its image may be unloaded before a later release.
  if (!object || *(const void *const *)object == _NSConcreteGlobalBlock) return;
  // Without a key there is no release at the thread's end: the object is leaked, not released too
  // early.
  if (!here.has_key && !set_key()) return;
  // The deinit of the previous object must not change the errno of the call that ends here.
  KEEP_ERRNO;
  give_up();
  here.object = object;
}
