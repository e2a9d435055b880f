#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "CBRImportSlots.h"

// Specification: System V ABI, AMD64 supplement, 5.2 (Procedure Linkage Table), and its AArch64
// supplement. The linkers' own code differs in little, and in nothing that is looked at here.

// How many bytes from an address on are code of the object that may be read.
static size_t code_length(const struct cbr_binder *binder, uintptr_t address) {
  const ElfW(Phdr) *headers = binder->headers;
  for (size_t index = 0; index < binder->header_count; index++) {
    uintptr_t start = binder->base + headers[index].p_vaddr;
    uintptr_t end = start + headers[index].p_filesz;
    bool is_code = (headers[index].p_flags & (PF_X | PF_R)) == (PF_X | PF_R);
    if (headers[index].p_type == PT_LOAD && is_code && address >= start && address < end)
      return end - address;
  }
  return 0;
}

#if defined(__x86_64__)
// The second half of the function's own entry pushes the relocation's number.
static bool pushes_index(const struct cbr_binder *binder, const unsigned char *code, size_t length) {
  uint32_t index;
  if (length < 1 + sizeof index || code[0] != 0x68) return false;
  memcpy(&index, code + 1, sizeof index);
  return index == binder->index;
}

// Where the number is in a register, all slots lead to the first entry, which pushes that and the
// loader's word for the object (mold).
static bool pushes_object(const struct cbr_binder *binder, const unsigned char *code, size_t length) {
  static const unsigned char pushes[] = {0x41, 0x53, 0xFF, 0x35};
  int32_t distance;
  size_t size = sizeof pushes + sizeof distance;
  if (length < size || memcmp(code, pushes, sizeof pushes) != 0) return false;
  memcpy(&distance, code + sizeof pushes, sizeof distance);
  return (uintptr_t)code + size + (intptr_t)distance == binder->table + sizeof(uintptr_t);
}

bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *value) {
  static const unsigned char landing[] = {0xF3, 0x0F, 0x1E, 0xFA};
  if (binder->index == SIZE_MAX) return false;
  const unsigned char *code = value;
  size_t length = code_length(binder, (uintptr_t)value);
  if (length >= sizeof landing && memcmp(code, landing, sizeof landing) == 0) {
    code += sizeof landing;
    length -= sizeof landing;
  }
  return pushes_index(binder, code, length) || pushes_object(binder, code, length);
}
#elif defined(__aarch64__)
// All slots lead to the first entry of the table: [bti c;] stp x16, x30, [sp, #-16]!;
// adrp x16, word; ldr x17, [x16, #word], with the third word of the table of slots.
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *value) {
  enum { BTI_C = 0xD503245F, PUSH = 0xA9BF7BF0, ADRP_X16 = 0x90000010, LDR_X17_X16 = 0xF9400211 };
  if (binder->index == SIZE_MAX || (uintptr_t)value % 4 != 0) return false;
  uint32_t code[4] = {0};
  size_t length = code_length(binder, (uintptr_t)value);
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
#else
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *value) { return false; }
#endif
