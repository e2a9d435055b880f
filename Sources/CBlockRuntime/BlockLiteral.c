#include "CBRBlockLiteral.h"
#include "UnseenStore.h"

void cbr_block_set_invoke(const void *block, const void *invoke) {
  cbr_store_unseen(&((struct cbr_block *)block)->invoke, invoke);
}
