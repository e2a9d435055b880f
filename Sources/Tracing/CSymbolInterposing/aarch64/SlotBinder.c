#if defined(__aarch64__)
#include "../SlotBinders.h"

#include <string.h>

// Specification: System V ABI, AArch64 supplement (Procedure Linkage Table). The code that linkers
// write differs little from it, and not in the parts that are examined here.

// All slots lead to the first entry of the table: [bti c;] stp x16, x30, [sp, #-16]!;
// adrp x16, word; ldr x17, [x16, #word], where the word is the third of the table of slots.
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *value) {
  enum { BTI_C = 0xD503245F, PUSH = 0xA9BF7BF0, ADRP_X16 = 0x90000010, LDR_X17_X16 = 0xF9400211 };
  if (binder->index == SIZE_MAX || (uintptr_t)value % 4 != 0) return false;
  uint32_t code[4] = {0};
  size_t length = cbr_binder_code_length(binder, (uintptr_t)value);
  memcpy(code, value, length < sizeof code ? length : sizeof code);
  const uint32_t *entry = code[0] == BTI_C ? code + 1 : code;
  if (entry[0] != PUSH || (entry[1] & 0x9F00001F) != (uint32_t)ADRP_X16) return false;
  if ((entry[2] & 0xFFC003FF) != LDR_X17_X16) return false;

  uintptr_t place = (uintptr_t)value + (uintptr_t)(entry + 1 - code) * sizeof *code;
  int64_t pages = (int64_t)((uint64_t)(entry[1] >> 5 & 0x7FFFF) << 45) >> 43 | (entry[1] >> 29 & 3);
  uintptr_t word = (place & ~(uintptr_t)0xFFF) + (uintptr_t)(pages * 4096) +
                   (entry[2] >> 10 & 0xFFF) * sizeof(uintptr_t);
  return word == binder->table + 2 * sizeof(uintptr_t);
}
#endif
