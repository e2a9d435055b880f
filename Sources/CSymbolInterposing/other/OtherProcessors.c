// Stand-ins on processors that lack an implementation.
#include "CBRImportSlots.h"
#include "CBRInterposedCalls.h"
#include "CBRVForkedCalls.h"

#include <stddef.h>

#if !defined(__x86_64__)
const void *cbr_interposed_code(void) { return NULL; }
const void *cbr_vfork_code(void) { return NULL; }
const void *cbr_follow_loading(const void *dlopen, void (*loaded)(bool is_ignored)) { return NULL; }
#endif

#if !defined(__x86_64__) && !defined(__aarch64__)
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *value) { return false; }
#endif
