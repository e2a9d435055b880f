#define _GNU_SOURCE
#include "SlotBinders.h"

#include <link.h>

size_t cbr_binder_code_length(const struct cbr_binder *binder, uintptr_t address) {
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
