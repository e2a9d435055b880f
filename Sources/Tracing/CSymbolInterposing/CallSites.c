#include "CBRCallSites.h"

#include <execinfo.h>

#include "CBROwnCalls.h"

// Weak, because a program need not have libdispatch.
extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));

size_t cbr_call_sites(void **addresses, size_t count) {
  OWN_CALLS;
  int found = backtrace(addresses, (int)count);
  return found > 0 ? (size_t)found : 0;
}

const char *cbr_queue_label(void) {
  OWN_CALLS;
  return dispatch_queue_get_label ? dispatch_queue_get_label(NULL) : NULL;
}
