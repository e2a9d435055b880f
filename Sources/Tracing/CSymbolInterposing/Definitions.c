#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CBRImportSlots.h"
#include "CBROwnCalls.h"
#include "ObjectTables.h"
#include "SearchScopes.h"

// The definition to which the loader binds an object's reference. `dlsym` and `dlvsym` give other
// answers: the one accepts other versions than the required one, the other skips definitions
// without a version in objects that have versions, and both search what the caller may see.

struct search {
  // An address in the object that refers to the symbol; NULL for the program.
  const void *place;
  // The object's own entry of the symbol, NULL if only the name is known.
  const ElfW(Sym) *reference;
  const char *symbol, *version;
  const struct link_map *program;

  const void *found;
  bool is_chosen_by_code;
  const char *found_version;
  char path[PATH_MAX];
};

// How the loader was told to choose when the process began: a weak definition may give way to a
// later strong one, and after 2.42 one without a version to one of the required version in the same
// object.
static bool weak_gives_way, bare_gives_way;

__attribute__((constructor(101))) static void read_rules(void) {
  OWN_CALLS;
  weak_gives_way = getenv("LD_DYNAMIC_WEAK");
  bare_gives_way = strverscmp(gnu_get_libc_version(), "2.42.9000") >= 0;
}

enum match { IS_OTHER, IS_OTHER_DEFAULT, IS_MEANT };

// Whether a symbol is the one that is meant. A reference without a version was made before the
// object had versions: it means the first one, or else the default one if there is only one.
static enum match match(const struct search *search, const struct cbr_tables *tables, size_t index) {
  const ElfW(Sym) *symbol = &tables->symbols[index];
  unsigned kind = ELF64_ST_TYPE(symbol->st_info);
  // Undefined symbols with a value are the program's stubs, which are there for addresses only.
  if (symbol->st_shndx == SHN_UNDEF || (!symbol->st_value && symbol->st_shndx != SHN_ABS)) return IS_OTHER;
  if (kind != STT_FUNC && kind != STT_GNU_IFUNC && kind != STT_NOTYPE && kind != STT_OBJECT &&
      kind != STT_COMMON)
    return IS_OTHER;
  if (strcmp(tables->strings + symbol->st_name, search->symbol) != 0) return IS_OTHER;
  if (!tables->versions) return IS_MEANT;
  bool is_hidden = tables->versions[index] & CBR_HIDDEN_VERSION;
  if (search->version) {
    const char *version = cbr_symbol_version(tables, index);
    if (version ? strcmp(version, search->version) != 0 : is_hidden) return IS_OTHER;
    return version || !bare_gives_way ? IS_MEANT : IS_OTHER_DEFAULT;
  }
  if ((tables->versions[index] & ~CBR_HIDDEN_VERSION) <= VER_NDX_GLOBAL + 1) return IS_MEANT;
  return is_hidden ? IS_OTHER : IS_OTHER_DEFAULT;
}

struct candidates {
  size_t meant, other_default, other_default_count;
};

// Takes note of a symbol; whether it ends the search of its object.
static bool note(struct candidates *candidates, const struct search *search,
                 const struct cbr_tables *tables, size_t index) {
  enum match result = match(search, tables, index);
  if (result == IS_MEANT) candidates->meant = index;
  if (result == IS_OTHER_DEFAULT && candidates->other_default_count++ == 0)
    candidates->other_default = index;
  return result == IS_MEANT;
}

// Specification: the GNU hash table of the Linux Standard Base's successor, gABI chapter 5
// (DT_GNU_HASH): four words, a filter, the first symbol of each bucket, and the hashes, of which
// the last one of a bucket is odd.
static void search_gnu_hash(struct candidates *candidates, const struct search *search,
                            const struct cbr_tables *tables) {
  const uint32_t *words = tables->gnu_hash;
  uint32_t bucket_count = words[0], first = words[1], filter_size = words[2];
  if (!bucket_count) return;
  const uint32_t *buckets = words + 4 + filter_size * (sizeof(ElfW(Addr)) / sizeof *words);
  const uint32_t *hashes = buckets + bucket_count;
  uint32_t hash = cbr_gnu_hash(search->symbol);
  uint32_t index = buckets[hash % bucket_count];
  if (index < first || index == 0) return;
  for (;; index++) {
    uint32_t other = hashes[index - first];
    if ((other | 1) == (hash | 1) && note(candidates, search, tables, index)) return;
    if (other & 1) return;
  }
}

// Specification: System V ABI, chapter 5, Hash Table.
static void search_hash(struct candidates *candidates, const struct search *search,
                        const struct cbr_tables *tables) {
  uint32_t bucket_count = tables->hash[0];
  if (!bucket_count) return;
  const uint32_t *buckets = tables->hash + 2, *chain = buckets + bucket_count;
  uint32_t hash = 0;
  for (const char *next = search->symbol; *next; next++) {
    hash = (hash << 4) + (unsigned char)*next;
    hash = (hash ^ (hash >> 24 & 0xF0)) & 0x0FFFFFFF;
  }
  for (uint32_t index = buckets[hash % bucket_count]; index; index = chain[index])
    if (note(candidates, search, tables, index)) return;
}

static bool search_object(void *context, const struct link_map *object) {
  struct search *search = context;
  struct cbr_tables tables;
  if (!cbr_read_tables(object->l_addr, object->l_ld, &tables)) return false;
  struct candidates candidates = {0};
  if (tables.gnu_hash) search_gnu_hash(&candidates, search, &tables);
  else if (tables.hash) search_hash(&candidates, search, &tables);
  size_t index = candidates.meant;
  if (!index && candidates.other_default_count == 1) index = candidates.other_default;
  if (!index) return false;
  const ElfW(Sym) *symbol = &tables.symbols[index];
  unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
  bool is_local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
  if (is_local || visibility == STV_HIDDEN || visibility == STV_INTERNAL) return false;
  bool gives_way = weak_gives_way && ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
  if (gives_way && search->found) return false;

  uintptr_t base = symbol->st_shndx == SHN_ABS ? 0 : object->l_addr;
  search->found = (const void *)(base + symbol->st_value);
  search->is_chosen_by_code = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
  search->found_version = cbr_symbol_version(&tables, index);
  snprintf(search->path, sizeof search->path, "%s", object->l_name);
  return !gives_way;
}

static bool holds(const struct dl_phdr_info *info, const void *place) {
  for (size_t index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uintptr_t distance = (uintptr_t)place - info->dlpi_addr - header->p_vaddr;
    if (header->p_type == PT_LOAD && distance < header->p_memsz) return true;
  }
  return false;
}

// The program comes first.
static int search_from(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  if (search->place && !holds(info, search->place)) return 0;
  const ElfW(Dyn) *dynamic = cbr_dynamic_section(info);
  const struct link_map *object = search->program;
  while (object && object->l_ld != dynamic) object = object->l_next;
  struct cbr_tables tables;
  if (!object || !cbr_read_tables(info->dlpi_addr, dynamic, &tables)) return 1;
  if (search->reference)
    search->version = cbr_symbol_version(&tables, (size_t)(search->reference - tables.symbols));
  cbr_visit_scope(search->program, object, search, search_object);
  return 1;
}

// The code that chooses a function for this processor is run by the loader.
static const void *chosen_by_code(const struct search *search) {
  void *object = dlopen(search->path[0] ? search->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (!object) return NULL;
  const void *found = cbr_look_up(object, search->symbol, search->found_version);
  dlclose(object);
  return found;
}

static const void *run(struct search *search) {
  void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (!program) return NULL;
  if (dlinfo(program, RTLD_DI_LINKMAP, &search->program) == 0)
    dl_iterate_phdr(search_from, search);
  const void *found = search->found && search->is_chosen_by_code ? chosen_by_code(search) : search->found;
  dlclose(program);
  return found;
}

const void *cbr_find_definition(const char *symbol, const char *version, const void *place) {
  OWN_CALLS;
  struct search search = {.place = place, .symbol = symbol, .version = version};
  return run(&search);
}

const void *cbr_behind_stub(const void *address) {
  OWN_CALLS;
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  bool is_stub = dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
                 symbol->st_shndx == SHN_UNDEF && info.dli_saddr == address;
  if (!is_stub) return address;
  struct search search = {.place = address, .reference = symbol, .symbol = info.dli_sname};
  return run(&search);
}

const void *cbr_find_default(const char *symbol) {
  OWN_CALLS;
  const void *found = dlsym(RTLD_DEFAULT, symbol);
  return found ? cbr_behind_stub(found) : NULL;
}

const void *cbr_look_up(void *object, const char *symbol, const char *version) {
  OWN_CALLS;
  return version ? dlvsym(object, symbol, version) : dlsym(object, symbol);
}
