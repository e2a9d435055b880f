#include <stdatomic.h>
#include <stddef.h>

#include "CBRBarriers.h"
#include "CBRInterposedCalls.h"
#include "CBROwnCalls.h"

typedef const void *_Nullable copy_function(const void *_Nullable);

static void (*told)(const void *copy);
static _Atomic(copy_function *) original;

// Its name tells `BlockCreation` whose function it is.
static const void *cbr_copy_and_follow(const void *block) {
  // Copying runs code of the block's captures, which is hooked as ever.
  const void *copy = atomic_load_explicit(&original, memory_order_acquire)(block);
  if (copy) {
    OWN_CALLS;
    told(copy);
  }
  return copy;
}

const void *cbr_follow_copies(const void *function, void (*copied)(const void *copy)) {
  copy_function *followed = atomic_load_explicit(&original, memory_order_relaxed);
  if (!followed) {
    told = copied;
    atomic_store_explicit(&original, (copy_function *)function, memory_order_release);
    cbr_publish_code();
  } else if (followed != function) {
    return NULL;
  }
  return (const void *)cbr_copy_and_follow;
}
