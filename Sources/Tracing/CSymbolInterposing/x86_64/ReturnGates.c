#if defined(__x86_64__)
#include "../ReturnGates.h"

// A `ret` instruction, or a byte that decodes as one.
bool cbr_find_gate(const unsigned char *start, const unsigned char *end, struct cbr_gate *gate) {
  for (const unsigned char *byte = start; byte < end; byte++)
    if (*byte == 0xC3) {
      gate->code = byte;
      return true;
    }
  return false;
}
#endif
