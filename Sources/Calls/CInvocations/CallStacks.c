#include "CBRCallStacks.h"

#include <stdbool.h>
#include <stdint.h>
#include <unwind.h>

#include "CBRCallEntry.h"
#include "CBRCallMemory.h"
#include "CBROwnCalls.h"

struct search {
  uintptr_t memory;
  // The code of the latest frame that may hold the memory, and whether it is an entry.
  uintptr_t holder;
  bool is_entry;
  const void **addresses;
  size_t count, limit;
};

static bool is_in_entry(struct _Unwind_Context *context) {
#if CBR_HAS_CALL_PLANS
  uintptr_t start = _Unwind_GetRegionStart(context);
  return start == (uintptr_t)cbr_enter_function || start == (uintptr_t)cbr_enter_function_narrow;
#else
  return false;
#endif
}

static void add(struct search *search, uintptr_t code) {
  if (search->count < search->limit) search->addresses[search->count++] = (const void *)code;
}

// Frames come from the innermost outwards. The unwinder gives a frame's stack pointer: memory above
// it, and below that of the next frame, is the frame's.
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument) {
  struct search *search = argument;
  uintptr_t code = _Unwind_GetIP(context), stack = _Unwind_GetCFA(context);
  if (code == 0) return _URC_END_OF_STACK;
  if (stack <= search->memory) {
    search->holder = code;
    search->is_entry = is_in_entry(context);
    return _URC_NO_REASON;
  }
  if (search->holder == 0) return _URC_END_OF_STACK;
  if (search->count == 0 && !search->is_entry) add(search, search->holder);
  add(search, code);
  return search->count < search->limit ? _URC_NO_REASON : _URC_END_OF_STACK;
}

size_t cbr_find_call_sites(const void *memory, const void **addresses, size_t limit) {
  OWN_CALLS;
  struct search search = {.memory = (uintptr_t)memory, .addresses = addresses, .limit = limit};
  if (limit > 0) _Unwind_Backtrace(visit, &search);
  return search.count;
}
