#include "CBRDeferredRelease.h"

#include <pthread.h>

#include "CBRBlockLiteral.h"

void swift_release(void *object);

static pthread_key_t key;
static int key_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release(void *object) {
  if (!object) return;
  const void *isa = *(const void *const *)object;
  if (isa == _NSConcreteMallocBlock || isa == _NSConcreteStackBlock)
    _Block_release(object);
  else
    swift_release(object);
}

static void make_key(void) { key_error = pthread_key_create(&key, release); }

void cbr_release_later(void *object) {
  // A block that is not counted may be gone later.
  if (*(const void *const *)object == _NSConcreteGlobalBlock) return;
  pthread_once(&once, make_key);
  // Without a key nothing can be kept for a while: rather for ever than not long enough.
  if (key_error) return;
  // A deinit may come back here and leave an object of its own, before `object` is in its place.
  void *previous;
  while ((previous = pthread_getspecific(key))) {
    pthread_setspecific(key, NULL);
    release(previous);
  }
  pthread_setspecific(key, object);
}
