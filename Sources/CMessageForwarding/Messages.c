#include "CBRMessages.h"

struct cbr_method_slot *cbr_method_cache[CBR_METHOD_CACHE_SIZE];

struct cbr_method_entered cbr_method_enter_announced(const void *const *place) {
  struct cbr_running *running =
      cbr_running_is_plain ? cbr_running_place() : cbr_running_begin_ordered(cbr_method_cache);
  for (bool is_again = false;; is_again = true) {
    uintptr_t what = (uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE);
    // A permanent one may have come: an odd value must not be announced.
    const void *announced = what & CBR_METHOD_IS_PERMANENT ? NULL : (const void *)what;
    cbr_running_announce(&running->what, announced ? announced : running, cbr_running_is_plain);
    if ((uintptr_t)__atomic_load_n(place, __ATOMIC_ACQUIRE) != what) continue;
    if (is_again) cbr_running_tell_of_moment(running);
    return (struct cbr_method_entered){
        running, (const void *)(what & ~(uintptr_t)CBR_METHOD_IS_PERMANENT)};
  }
}

static _Thread_local struct cbr_message_thread here;

struct cbr_message_thread *cbr_message_here(void) { return &here; }
