#if defined(__aarch64__)
#include "../ReturnGates.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// `ldp x29, x30, [sp], #16; ret`, the end of most functions that call others, unless they are compiled to check
// their return addresses (`autiasp`): an object that consists of such functions only has no gate.
const void *cbr_find_gate(const unsigned char *start, const unsigned char *end) {
  static const uint32_t gate[2] = {0xA8C17BFD, 0xD65F03C0};
  for (const unsigned char *code = start; (size_t)(end - code) >= sizeof gate; code += 4)
    if (memcmp(code, gate, sizeof gate) == 0) return code;
  return NULL;
}
#endif
