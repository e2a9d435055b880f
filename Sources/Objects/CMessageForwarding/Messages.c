#include "CBRMessages.h"

#include "CBRCallEntry.h"
#include "CBRMessageThread.h"

struct cbr_method_slot *cbr_method_cache[CBR_METHOD_CACHE_SIZE];

// Protects the present implementation; `is_again` says that another implementation was protected
// before.
static struct cbr_method_entered enter_by(
    struct cbr_hazard *hazard, const void *const *place, bool is_again) {
  for (;; is_again = true) {
    uintptr_t what = (uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE);
    // The place may hold a permanent implementation by now: a marked address must not be protected.
    const void *protected = what & CBR_METHOD_MARKS ? NULL : (const void *)what;
    cbr_hazard_store(&hazard->running, protected ? protected : hazard);
    // This load decides: see `cbr_hazard_confirm`.
    if ((uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE) != what) continue;
    if (is_again) cbr_hazard_notify_brief(hazard);
    if (!what) {
      // The method was removed just now: nobody clears a pointer that protects nothing.
      if (cbr_hazard_clear(hazard)) cbr_entered_call.ended(hazard);
      return (struct cbr_method_entered){NULL, NULL};
    }
    return (struct cbr_method_entered){hazard,
                                       (const void *)(what & ~CBR_METHOD_MARKS)};
  }
}

struct cbr_method_entered cbr_method_enter_first(const void *const *place) {
  return enter_by(cbr_hazard_protect(cbr_method_cache), place, false);
}

struct cbr_method_entered cbr_method_enter_again(struct cbr_hazard *hazard, const void *const *place) {
  return enter_by(hazard, place, true);
}

_Thread_local struct cbr_message_thread cbr_message_this_thread = {
    .error = (void *)CBR_OUTSIDE_OF_MESSAGES, .kept = {.called = CBR_OUTSIDE_OF_CALLS}};
