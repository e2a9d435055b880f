#include <malloc.h>

#include "CFixtures.h"

size_t fixture_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
