#include "CBRBlockLiteral.h"
#include "UnseenStore.h"

bool cbr_block_change_invoke(const void *block, const void *seen, const void *invoke) {
  return cbr_exchange_unseen(&((struct cbr_block *)block)->invoke, seen, invoke);
}
