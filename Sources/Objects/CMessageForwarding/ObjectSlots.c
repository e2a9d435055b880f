#include "CBRObjectSlots.h"

#include "CBRObjectDestruction.h"

struct cbr_object_slot *cbr_object_cache[CBR_OBJECT_CACHE_SIZE];

struct cbr_method_entered cbr_method_enter_own(const struct cbr_method_slot *slot,
                                               const void *object, const void *marked) {
  // An object without a mark has no values, and so no hooks of its own: it has its class's method.
  if (!cbr_dying_objects) {
    if (!cbr_object_is_marked(object)) return cbr_method_enter(&slot->of_class);
    const struct cbr_object_slot *own =
        __atomic_load_n(cbr_object_cache_place(object, slot->selector), __ATOMIC_ACQUIRE);
    if (own && __atomic_load_n(&own->object, __ATOMIC_ACQUIRE) == object &&
        __atomic_load_n(&own->selector, __ATOMIC_RELAXED) == slot->selector &&
        // The object's implementation is out of date if it is around another one.
        __atomic_load_n(&own->inside, __ATOMIC_ACQUIRE) ==
            __atomic_load_n(&slot->of_class, __ATOMIC_ACQUIRE)) {
      struct cbr_method_entered entered = cbr_method_enter(&own->current);
      if (entered.what) return entered;
    }
  }
  return (struct cbr_method_entered){
      NULL, (const void *)((uintptr_t)marked & ~CBR_METHOD_IS_OF_OBJECT)};
}
