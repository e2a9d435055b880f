#if defined(__x86_64__)
#include "../SlotBinders.h"

#include <string.h>

// Specification: System V ABI, AMD64 supplement, 5.2 (Procedure Linkage Table). The code that
// linkers write differs little from it, and not in the parts that are examined here.

// The second half of the function's own entry pushes the index of the relocation.
static bool pushes_index(const struct cbr_binder *binder, const unsigned char *code, size_t length) {
  uint32_t index;
  if (length < 1 + sizeof index || code[0] != 0x68) return false;
  memcpy(&index, code + 1, sizeof index);
  return index == binder->index;
}

// Where a register holds the index (mold), all slots lead to the first entry, which pushes that
// register and the loader's word for the object.
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
  size_t length = cbr_binder_code_length(binder, (uintptr_t)value);
  if (length >= sizeof landing && memcmp(code, landing, sizeof landing) == 0) {
    code += sizeof landing;
    length -= sizeof landing;
  }
  return pushes_index(binder, code, length) || pushes_object(binder, code, length);
}
#endif
