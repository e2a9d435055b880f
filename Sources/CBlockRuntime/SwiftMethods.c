#include "CBRSwiftMethods.h"
#include "UnseenStore.h"

void cbr_method_slot_store(void *slot, const void *code) {
  cbr_store_unseen((const void **)slot, code);
}
