// The tables of a loaded object that say which symbols it defines and requires, in which versions,
// and what it is relocated by.
//
// Specification: System V ABI, chapters 4 and 5; the GNU symbol versions of the Linux Standard
// Base.
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbr_tables {
  uintptr_t base;
  const char *strings;
  const ElfW(Sym) *symbols;
  // The number of each symbol's version, whose highest bit hides the symbol; NULL without versions.
  const ElfW(Half) *versions;
  const unsigned char *needed, *defined;
  size_t needed_count, defined_count;
  const uint32_t *gnu_hash, *hash;
  // The object's table of slots (DT_PLTGOT).
  uintptr_t slots;
  // The relocations of calls, and all that have symbols.
  const ElfW(Rela) *relocations[2];
  size_t relocation_counts[2];
};

// The hash of a name in DT_GNU_HASH.
static inline uint32_t cbr_gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

enum { CBR_HIDDEN_VERSION = 0x8000 };

// Reads the dynamic section of an object; false if it has no symbols, or relocations of another
// kind.
__attribute__((visibility("hidden"))) bool cbr_read_tables(uintptr_t base, const ElfW(Dyn) *dynamic,
                                                           struct cbr_tables *tables);

// The name of the version that a symbol is defined in or required in, given by its index; NULL if
// none.
__attribute__((visibility("hidden"))) const char *cbr_symbol_version(const struct cbr_tables *tables,
                                                                     size_t symbol);

// The dynamic section of an object, NULL if it has none.
__attribute__((visibility("hidden"))) const ElfW(Dyn) *cbr_dynamic_section(
    const struct dl_phdr_info *info);
