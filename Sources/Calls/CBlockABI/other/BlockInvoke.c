#if !defined(__x86_64__) && !defined(__aarch64__)
#include "CBRBarriers.h"
#include "CBRBlockLiteral.h"

// ThreadSanitizer reports this store as a race with the plain loads in compiled code.
bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  cbr_publish_code();
  return __atomic_compare_exchange_n(&((struct cbr_block *)block)->invoke, &seen, invoke, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif
