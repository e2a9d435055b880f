// Code at run time exists on x86-64 only: these functions return NULL elsewhere.
#if !defined(__x86_64__)
#include "CBRCallStubs.h"
#include "CBROpaqueCalls.h"

#include <stddef.h>

const void *cbr_opaque_code(void) { return NULL; }
void *cbr_stubs_map(void) { return NULL; }
#endif
