#if defined(__aarch64__)
#include "../ReturnGates.h"

#include <string.h>

_Static_assert(offsetof(struct cbr_gate, record) == CBR_GATE_RECORD &&
                   offsetof(struct cbr_gate, size) == CBR_GATE_SIZE &&
                   offsetof(struct cbr_gate, is_authenticating) == CBR_GATE_IS_AUTHENTICATING,
               "assembly");

enum {
  LOAD_RECORD_AND_POP = 0xA8C07BFD,  // ldp x29, x30, [sp], #…
  LOAD_RECORD = 0xA9407BFD,          // ldp x29, x30, [sp, #…]
  POP = 0x910003FF,                  // add sp, sp, #…
  AUTHENTICATE = 0xD50323BF,         // autiasp
  RETURN = 0xD65F03C0,               // ret
  AUTHENTICATE_AND_RETURN = 0xD65F0BFF,  // retaa
};

// An instruction's immediate value of some bits, if it is the instruction.
static bool decode(uint32_t code, uint32_t instruction, unsigned shift, unsigned bits,
                   uintptr_t *value) {
  uint32_t mask = ((1u << bits) - 1) << shift;
  if ((code & ~mask) != instruction) return false;
  *value = (code & mask) >> shift;
  return true;
}

// Reads the end of a function: it loads its frame record, pops its frame and returns. `code` has
// room for five instructions.
static bool read_gate(const uint32_t *code, struct cbr_gate *gate) {
  if (decode(*code, LOAD_RECORD_AND_POP, 15, 6, &gate->size)) {
    gate->record = 0;
    gate->size *= 8;
  } else if (decode(*code, LOAD_RECORD, 15, 6, &gate->record) && decode(code[1], POP, 10, 12, &gate->size)) {
    gate->record *= 8;
    code++;
  } else {
    return false;
  }
  code++;
  gate->is_authenticating = *code == AUTHENTICATE || *code == AUTHENTICATE_AND_RETURN;
  if (*code == AUTHENTICATE) code++;
  return (*code == RETURN || *code == AUTHENTICATE_AND_RETURN) && gate->size % 16 == 0 &&
         gate->record + 16 <= gate->size;
}

bool cbr_find_gate(const unsigned char *start, const unsigned char *end, struct cbr_gate *gate) {
  uint32_t window[5] = {0};
  for (const unsigned char *code = start; code < end; code += 4) {
    size_t left = (size_t)(end - code);
    memset(window, 0, sizeof window);
    memcpy(window, code, left < sizeof window ? left : sizeof window);
    gate->code = code;
    if (read_gate(window, gate)) return true;
  }
  return false;
}
#endif
