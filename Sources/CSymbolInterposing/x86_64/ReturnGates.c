#if defined(__x86_64__)
#include "../ReturnGates.h"

#include <stddef.h>

// A `ret` instruction, or a byte that decodes as one.
const void *cbr_find_gate(const unsigned char *start, const unsigned char *end) {
  for (const unsigned char *byte = start; byte < end; byte++)
    if (*byte == 0xC3) return byte;
  return NULL;
}
#endif
