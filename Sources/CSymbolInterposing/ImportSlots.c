#define _GNU_SOURCE
#include "CBRImportSlots.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "CBROwnCalls.h"

#if defined(__x86_64__)
#define CALL_SLOT R_X86_64_JUMP_SLOT
#define ADDRESS_SLOT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define CALL_SLOT R_AARCH64_JUMP_SLOT
#define ADDRESS_SLOT R_AARCH64_GLOB_DAT
#endif

// The parts of an object's dynamic section that binding needs.
struct object {
  const char *path;
  uintptr_t base;
  struct cbr_binder binder;
  const char *strings;
  const ElfW(Sym) *symbols;
  const ElfW(Half) *versions;
  const unsigned char *needed;
  size_t needed_count;
  // The pages that the loader makes read-only once it has relocated the object.
  uintptr_t sealed_start, sealed_end;
  const ElfW(Rela) *tables[2];
  size_t counts[2];
};

// The loader protects the whole pages of PT_GNU_RELRO, the last one only if it is full.
static void read_sealed_pages(struct object *object, const ElfW(Phdr) *header) {
  uintptr_t mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
  uintptr_t start = object->base + header->p_vaddr;
  object->sealed_start = start & mask;
  object->sealed_end = (start + header->p_memsz) & mask;
}

// The loader may have added the base to the section's addresses already.
static uintptr_t address(const struct object *object, ElfW(Addr) value) {
  return value < object->base ? object->base + value : value;
}

static bool read_object(const struct dl_phdr_info *info, struct object *object) {
  *object = (struct object){.path = info->dlpi_name ? info->dlpi_name : "",
                            .base = info->dlpi_addr,
                            .binder = {.base = info->dlpi_addr,
                                       .headers = info->dlpi_phdr,
                                       .header_count = info->dlpi_phnum}};
  const ElfW(Dyn) *dynamic = NULL;
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)(object->base + header->p_vaddr);
    if (header->p_type == PT_GNU_RELRO) read_sealed_pages(object, header);
  }
  if (!dynamic) return false;
  size_t sizes[2] = {0, 0};
  bool has_addends = true;
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    uintptr_t pointer = address(object, dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
    case DT_STRTAB: object->strings = (const char *)pointer; break;
    case DT_SYMTAB: object->symbols = (const ElfW(Sym) *)pointer; break;
    case DT_VERSYM: object->versions = (const ElfW(Half) *)pointer; break;
    case DT_VERNEED: object->needed = (const unsigned char *)pointer; break;
    case DT_VERNEEDNUM: object->needed_count = dynamic->d_un.d_val; break;
    case DT_JMPREL: object->tables[0] = (const ElfW(Rela) *)pointer; break;
    case DT_PLTGOT: object->binder.table = pointer; break;
    case DT_PLTRELSZ: sizes[0] = dynamic->d_un.d_val; break;
    case DT_PLTREL: has_addends = dynamic->d_un.d_val == DT_RELA; break;
    case DT_RELA: object->tables[1] = (const ElfW(Rela) *)pointer; break;
    case DT_RELASZ: sizes[1] = dynamic->d_un.d_val; break;
    default: break;
    }
  }
  for (int table = 0; table < 2; table++)
    object->counts[table] = object->tables[table] ? sizes[table] / sizeof(ElfW(Rela)) : 0;
  return object->strings && object->symbols && has_addends;
}

// The version that the object requires for a symbol, given by its index.
static const char *version(const struct object *object, size_t symbol) {
  if (!object->versions || !object->needed) return NULL;
  ElfW(Half) number = object->versions[symbol] & 0x7FFF;
  const unsigned char *place = object->needed;
  for (size_t count = object->needed_count; number > VER_NDX_GLOBAL && count > 0; count--) {
    const ElfW(Verneed) *file = (const ElfW(Verneed) *)place;
    const unsigned char *part = place + file->vn_aux;
    for (size_t index = 0; index < file->vn_cnt; index++) {
      const ElfW(Vernaux) *needed = (const ElfW(Vernaux) *)part;
      if ((needed->vna_other & 0x7FFF) == number) return object->strings + needed->vna_name;
      part += needed->vna_next;
    }
    place += file->vn_next;
  }
  return NULL;
}

struct visit {
  const char *symbol;
  void *context;
  void (*visit)(void *context, const struct cbr_import_slot *slot);
};

static void visit_slot(const struct object *object, const ElfW(Rela) *relocation,
                       const struct visit *visit) {
#ifdef CALL_SLOT
  unsigned type = ELF64_R_TYPE(relocation->r_info);
  if (type != CALL_SLOT && type != ADDRESS_SLOT) return;
  size_t number = ELF64_R_SYM(relocation->r_info);
  const ElfW(Sym) *symbol = &object->symbols[number];
  const char *name = object->strings + symbol->st_name;
  if (visit->symbol && strcmp(name, visit->symbol) != 0) return;
  unsigned kind = ELF64_ST_TYPE(symbol->st_info);
  if (kind == STT_OBJECT || kind == STT_TLS || !name[0]) return;

  const ElfW(Rela) *calls = object->tables[0];
  bool is_call = type == CALL_SLOT && relocation >= calls && relocation < calls + object->counts[0];
  struct cbr_import_slot slot = {
      .image = object->path, .symbol = name, .version = version(object, number),
      .place = (const void **)(object->base + relocation->r_offset), .is_call = type == CALL_SLOT,
      .binder = object->binder};
  uintptr_t place = (uintptr_t)slot.place;
  slot.is_sealed_later = place >= object->sealed_start && place < object->sealed_end;
  slot.binder.index = is_call ? (size_t)(relocation - calls) : SIZE_MAX;
  cbr_read_slot(&slot);
  visit->visit(visit->context, &slot);
#endif
}

void cbr_read_slot(struct cbr_import_slot *slot) {
  const struct cbr_binder *binder = &slot->binder;
  slot->value = __atomic_load_n(slot->place, __ATOMIC_ACQUIRE);
  // In the file the slot holds the binder's address without the base, which the loader adds.
  uintptr_t based = (uintptr_t)slot->value + binder->base;
  slot->is_relocated =
      slot->value && !(binder->base && cbr_leads_to_binder(binder, (const void *)based));
  slot->is_bound = slot->is_relocated && !cbr_leads_to_binder(binder, slot->value);
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct object object;
  if (!read_object(info, &object)) return 0;
  // The table of all relocations may contain the table of those of calls: those are skipped.
  const ElfW(Rela) *calls = object.tables[0];
  for (int table = 0; table < 2; table++)
    for (size_t index = 0; index < object.counts[table]; index++) {
      const ElfW(Rela) *relocation = &object.tables[table][index];
      bool is_seen = table == 1 && relocation >= calls && relocation < calls + object.counts[0];
      if (!is_seen) visit_slot(&object, relocation, context);
    }
  return 0;
}

void cbr_visit_import_slots(const char *symbol, void *context,
                            void (*visit)(void *context, const struct cbr_import_slot *slot)) {
  OWN_CALLS;
  struct visit arguments = {symbol, context, visit};
  dl_iterate_phdr(visit_object, &arguments);
}

void cbr_await_loading(void) {
  OWN_CALLS;
  // The loader holds its lock until a load is complete.
  void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (program) dlclose(program);
}

const void *cbr_look_up(void *object, const char *symbol, const char *version) {
  OWN_CALLS;
  return version ? dlvsym(object, symbol, version) : dlsym(object, symbol);
}

// An object without versions is also searched without one.
static const void *look_up(void *object, const char *symbol, const char *version) {
  OWN_CALLS;
  const void *found = cbr_look_up(object, symbol, version);
  return found ? found : dlsym(object, symbol);
}

bool cbr_is_canonical_stub(const void *address) {
  OWN_CALLS;
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  return dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
         symbol->st_shndx == SHN_UNDEF && info.dli_saddr == address;
}

// The symbol that is nearest before an address, or NULL.
static const ElfW(Sym) *symbol_at(const void *address) {
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  return dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) ? symbol : NULL;
}

bool cbr_is_data(const void *address) {
  OWN_CALLS;
  const ElfW(Sym) *symbol = symbol_at(address);
  unsigned kind = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;
  return kind == STT_OBJECT || kind == STT_TLS;
}

bool cbr_has_variant_calls(const void *address) {
#if defined(__aarch64__)
  OWN_CALLS;
  const ElfW(Sym) *symbol = symbol_at(address);
  return symbol && (symbol->st_other & STO_AARCH64_VARIANT_PCS);
#else
  return false;
#endif
}

const void *cbr_find_definition(const char *symbol, const char *version, const char *image) {
  OWN_CALLS;
  const void *found = look_up(RTLD_DEFAULT, symbol, version);
  if (found && !cbr_is_canonical_stub(found)) return found;
  // The program's stub hides the definition, which is in one of the objects after it.
  void *program = found ? dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  struct link_map *map = NULL;
  if (program && dlinfo(program, RTLD_DI_LINKMAP, &map) == 0)
    for (map = map->l_next; map; map = map->l_next) {
      void *object = map->l_name[0] ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
      const void *candidate = object ? look_up(object, symbol, version) : NULL;
      if (object) dlclose(object);
      if (candidate && !cbr_is_canonical_stub(candidate)) {
        dlclose(program);
        return candidate;
      }
    }
  if (program) dlclose(program);
  // An object that `dlopen` loaded also sees its own dependencies.
  void *object = image[0] ? dlopen(image, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!object) return NULL;
  found = look_up(object, symbol, version);
  dlclose(object);
  return found;
}

bool cbr_change_slot(const void **place, const void *seen, const void *value) {
  return __atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
