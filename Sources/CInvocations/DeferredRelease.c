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
  // Whether the thread's end gives the object up.
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
  // A deinit may come back here and leave an object of its own.
  void *previous;
  while ((previous = here.object)) {
    here.object = NULL;
    release(previous);
  }
}

static void thread_ends(void *thread) {
  // Another destructor may come back here, and then sets the key again.
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
  // A block that is not counted may be gone later.
  if (*(const void *const *)object == _NSConcreteGlobalBlock) return;
  // Without a key nothing can be kept for a while: rather for ever than not long enough.
  if (!here.has_key && !set_key()) return;
  // A deinit of another object's is no part of the call that ends here.
  KEEP_ERRNO;
  give_up();
  here.object = object;
}
