#include <string.h>

#include "CBROwnCalls.h"
#include "CBRSymbols.h"
#include "SymbolFiles.h"

// The length of a forwarder's name without its ending, `TA` and perhaps a number; 0 for other
// names.
static size_t length_of_target(const char *name, size_t length) {
  const char *dot = memchr(name, '.', length);
  if (dot) length = (size_t)(dot - name);
  return length > 2 && memcmp(name + length - 2, "TA", 2) == 0 ? length - 2 : 0;
}

// Finds the forwarder at a place, and the closure, whose name is the forwarder's without its
// ending.
static struct cbr_forwarder find(struct symbol_table table, uintptr_t place) {
  struct cbr_forwarder found = {0};
  const char *target = NULL;
  size_t target_length = 0;
  for (size_t index = 0; index < table.count && !target; index++) {
    const ElfW(Sym) *symbol = &table.symbols[index];
    size_t length;
    const char *name = symbol->st_value == place ? elf_name(table, symbol, &length) : NULL;
    target_length = name ? length_of_target(name, length) : 0;
    if (target_length == 0) continue;
    target = name;
    found.size = symbol->st_size;
  }
  for (size_t index = 0; target && index < table.count; index++) {
    size_t length;
    const char *name = elf_name(table, &table.symbols[index], &length);
    if (!name || length != target_length || memcmp(name, target, length) != 0) continue;
    found.target = table.symbols[index].st_value;
    break;
  }
  return found;
}

struct cbr_forwarder cbr_find_forwarder(const char *path, uintptr_t place) {
  OWN_CALLS;
  struct elf_file file = cbr_map_file(path);
  if (!file.bytes) return (struct cbr_forwarder){0};
  struct cbr_forwarder found = find(elf_symbols(file), place);
  cbr_unmap_file(file);
  return found;
}
