#include <stdbool.h>

#include "CFixtures.h"

// The Swift runtime lets instruments take its place.
extern void *(*_swift_allocObject)(const void *type, size_t size, size_t alignment_mask);
extern bool _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly;

static void *(*original)(const void *, size_t, size_t);
static _Thread_local size_t count;

static void *counting(const void *type, size_t size, size_t alignment_mask) {
  count++;
  return original(type, size, alignment_mask);
}

size_t fixture_allocations(void (*body)(void *context), void *context) {
  original = _swift_allocObject;
  _swift_allocObject = counting;
  _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly = true;
  count = 0;
  body(context);
  size_t result = count;
  _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly = false;
  _swift_allocObject = original;
  return result;
}
