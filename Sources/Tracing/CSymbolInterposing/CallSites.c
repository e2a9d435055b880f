#include "CBRCallSites.h"

#include <execinfo.h>

#include "CBROwnCalls.h"

size_t cbr_call_sites(void **addresses, size_t count) {
  OWN_CALLS;
  int found = backtrace(addresses, (int)count);
  return found > 0 ? (size_t)found : 0;
}
