#include <stdint.h>
#include <string.h>
#include <unwind.h>

#include "CBRObserving.h"
#include "CBROwnCalls.h"

struct search {
  const void **addresses;
  size_t count, limit;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument) {
  struct search *search = argument;
  uintptr_t code = _Unwind_GetIP(context);
  if (code == 0 || search->count == search->limit) return _URC_END_OF_STACK;
  search->addresses[search->count++] = (const void *)code;
  return _URC_NO_REASON;
}

size_t cbr_observing_callers(const void **addresses, size_t limit) {
  OWN_CALLS;
  struct search search = {.addresses = addresses, .limit = limit};
  _Unwind_Backtrace(visit, &search);
  return search.count;
}

const void *cbr_called_function(const void *return_address) {
  // Code before a return address is a call, and can be read.
#if defined(__x86_64__)
  const uint8_t *call = (const uint8_t *)return_address - 5;
  int32_t distance;
  memcpy(&distance, call + 1, sizeof distance);
  return call[0] == 0xe8 ? (const uint8_t *)return_address + distance : NULL;
#elif defined(__aarch64__)
  const uint32_t *call = (const uint32_t *)return_address - 1;
  int32_t distance = (int32_t)(*call << 6) >> 6;
  return *call >> 26 == 0x25 ? (const void *)(call + distance) : NULL;
#else
  return NULL;
#endif
}
