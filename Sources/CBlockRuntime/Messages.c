#include "CBRMessages.h"

struct cbr_method_slot *cbr_method_cache[CBR_METHOD_CACHE_SIZE];

static _Thread_local struct cbr_message_thread here;

struct cbr_message_thread *cbr_message_here(void) { return &here; }
