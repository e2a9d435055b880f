#include "CBaselines.h"

#include <malloc.h>

size_t cbl_bytes_in_use(void) { return mallinfo2().uordblks; }

void cbl_trim(void) { malloc_trim(0); }
