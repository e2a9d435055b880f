#include "AutoreleasedResults.h"

#include "CBRDeferredRelease.h"

void *objc_autoreleaseReturnValue(void *object) {
  cbr_release_later(object);
  return object;
}
