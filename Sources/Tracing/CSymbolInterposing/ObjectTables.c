#define _GNU_SOURCE
#include "ObjectTables.h"

const ElfW(Dyn) *cbr_dynamic_section(const struct dl_phdr_info *info) {
  for (size_t index = 0; index < info->dlpi_phnum; index++)
    if (info->dlpi_phdr[index].p_type == PT_DYNAMIC)
      return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[index].p_vaddr);
  return NULL;
}

// The loader may have added the base to the section's addresses already.
static uintptr_t address(uintptr_t base, ElfW(Addr) value) {
  return value < base ? base + value : value;
}

bool cbr_read_tables(uintptr_t base, const ElfW(Dyn) *dynamic, struct cbr_tables *tables) {
  *tables = (struct cbr_tables){.base = base};
  if (!dynamic) return false;
  size_t sizes[2] = {0, 0}, relative_count = 0;
  bool has_addends = true;
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    uintptr_t pointer = address(base, dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
    case DT_STRTAB: tables->strings = (const char *)pointer; break;
    case DT_SYMTAB: tables->symbols = (const ElfW(Sym) *)pointer; break;
    case DT_VERSYM: tables->versions = (const ElfW(Half) *)pointer; break;
    case DT_VERNEED: tables->needed = (const unsigned char *)pointer; break;
    case DT_VERNEEDNUM: tables->needed_count = dynamic->d_un.d_val; break;
    case DT_VERDEF: tables->defined = (const unsigned char *)pointer; break;
    case DT_VERDEFNUM: tables->defined_count = dynamic->d_un.d_val; break;
    case DT_GNU_HASH: tables->gnu_hash = (const uint32_t *)pointer; break;
    case DT_HASH: tables->hash = (const uint32_t *)pointer; break;
    case DT_PLTGOT: tables->slots = pointer; break;
    case DT_JMPREL: tables->relocations[0] = (const ElfW(Rela) *)pointer; break;
    case DT_PLTRELSZ: sizes[0] = dynamic->d_un.d_val; break;
    case DT_PLTREL: has_addends = dynamic->d_un.d_val == DT_RELA; break;
    case DT_RELA: tables->relocations[1] = (const ElfW(Rela) *)pointer; break;
    case DT_RELASZ: sizes[1] = dynamic->d_un.d_val; break;
    case DT_RELACOUNT: relative_count = dynamic->d_un.d_val; break;
    default: break;
    }
  }
  for (int table = 0; table < 2; table++)
    tables->relocation_counts[table] =
        tables->relocations[table] ? sizes[table] / sizeof(ElfW(Rela)) : 0;
  // Those without symbols are the first ones, and most.
  if (relative_count > 0 && relative_count <= tables->relocation_counts[1]) {
    tables->relocations[1] += relative_count;
    tables->relocation_counts[1] -= relative_count;
  }
  return tables->strings && tables->symbols && has_addends;
}

static const char *needed_version(const struct cbr_tables *tables, ElfW(Half) number) {
  const unsigned char *place = tables->needed;
  for (size_t count = place ? tables->needed_count : 0; count > 0; count--) {
    const ElfW(Verneed) *file = (const ElfW(Verneed) *)place;
    const unsigned char *part = place + file->vn_aux;
    for (size_t index = 0; index < file->vn_cnt; index++) {
      const ElfW(Vernaux) *needed = (const ElfW(Vernaux) *)part;
      if ((needed->vna_other & ~CBR_HIDDEN_VERSION) == number)
        return tables->strings + needed->vna_name;
      part += needed->vna_next;
    }
    place += file->vn_next;
  }
  return NULL;
}

// The version that bears the object's own name is none to the loader.
static const char *defined_version(const struct cbr_tables *tables, ElfW(Half) number) {
  const unsigned char *place = tables->defined;
  for (size_t count = place ? tables->defined_count : 0; count > 0; count--) {
    const ElfW(Verdef) *version = (const ElfW(Verdef) *)place;
    const ElfW(Verdaux) *name = (const ElfW(Verdaux) *)(place + version->vd_aux);
    bool is_own_name = version->vd_flags & VER_FLG_BASE;
    if (!is_own_name && (version->vd_ndx & ~CBR_HIDDEN_VERSION) == number)
      return tables->strings + name->vda_name;
    place += version->vd_next;
  }
  return NULL;
}

const char *cbr_symbol_version(const struct cbr_tables *tables, size_t symbol) {
  if (!tables->versions) return NULL;
  ElfW(Half) number = tables->versions[symbol] & ~CBR_HIDDEN_VERSION;
  if (number <= VER_NDX_GLOBAL) return NULL;
  const char *needed = needed_version(tables, number);
  return needed ? needed : defined_version(tables, number);
}
