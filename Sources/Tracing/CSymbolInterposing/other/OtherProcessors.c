// Stand-ins on processors that lack an implementation.
#include "CBRImportSlots.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *value) { return false; }
#endif
