#define _GNU_SOURCE
#include "CBRImages.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>

#include "CBROwnCalls.h"

static void describe(const struct link_map *map, const void *start, struct cbr_image *image) {
  *image = (struct cbr_image){.base = map->l_addr,
                              .start = (uintptr_t)start,
                              .path = map->l_name ? map->l_name : "",
                              .dynamic = map->l_ld};
}

// Where the C library has it, the look-up that takes no lock.
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#pragma weak _dl_find_object
static bool can_find_without_lock(void) { return _dl_find_object != NULL; }

static bool find_without_lock(const void *address, struct cbr_image *image) {
  struct dl_find_object found;
  if (_dl_find_object((void *)address, &found) != 0) return false;
  describe(found.dlfo_link_map, found.dlfo_map_start, image);
  return true;
}
#else
static bool can_find_without_lock(void) { return false; }
static bool find_without_lock(const void *address, struct cbr_image *image) { return false; }
#endif

bool cbr_find_image(const void *address, struct cbr_image *image) {
  OWN_CALLS;
  if (can_find_without_lock()) return find_without_lock(address, image);
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
  describe(map, info.dli_fbase, image);
  return true;
}

const char *cbr_image_of(const void *address) {
  struct cbr_image image;
  return cbr_find_image(address, &image) ? image.path : NULL;
}

const void *cbr_start_of_image(const void *address) {
  struct cbr_image image;
  return cbr_find_image(address, &image) ? (const void *)image.start : NULL;
}

// MARK: Dynamic symbols

// The dynamic symbols that an image defines, from `first` to before `end`.
struct symbols {
  const ElfW(Sym) *table;
  const char *names;
  size_t first, end;
};

// The loader may have added the base to the section's addresses already.
static const void *pointer(const struct cbr_image *image, ElfW(Addr) value) {
  return (const void *)(value < image->base ? image->base + value : value);
}

// The symbols behind the undefined ones are those in the chains, each of which ends with an odd hash.
static void count_by_chains(const uint32_t *section, struct symbols *symbols) {
  uint32_t bucket_count = section[0], first = section[1], filter_words = section[2];
  const uint32_t *buckets = section + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t *hashes = buckets + bucket_count;
  uint32_t last = 0;
  for (uint32_t bucket = 0; bucket < bucket_count; bucket++)
    if (buckets[bucket] > last) last = buckets[bucket];
  symbols->first = first;
  symbols->end = first;
  if (last < first) return;
  while (!(hashes[last - first] & 1)) last++;
  symbols->end = (size_t)last + 1;
}

static bool read_symbols(const struct cbr_image *image, struct symbols *symbols) {
  const uint32_t *chains = NULL, *table = NULL;
  *symbols = (struct symbols){0};
  const ElfW(Dyn) *entry = image->dynamic;
  for (; entry && entry->d_tag != DT_NULL; entry++) {
    const void *place = pointer(image, entry->d_un.d_ptr);
    switch (entry->d_tag) {
    case DT_SYMTAB: symbols->table = place; break;
    case DT_STRTAB: symbols->names = place; break;
    case DT_GNU_HASH: chains = place; break;
    case DT_HASH: table = place; break;
    default: break;
    }
  }
  if (chains) count_by_chains(chains, symbols);
  else if (table) symbols->end = table[1];
  return symbols->table && symbols->names;
}

static bool covers(const ElfW(Sym) *symbol, uintptr_t place) {
  if (symbol->st_shndx == SHN_ABS || ELF64_ST_TYPE(symbol->st_info) == STT_TLS) return false;
  if (symbol->st_shndx == SHN_UNDEF) return symbol->st_value != 0 && place == symbol->st_value;
  uintptr_t distance = place - symbol->st_value;
  return symbol->st_size == 0 ? distance == 0 : distance < symbol->st_size;
}

const char *cbr_find_dynamic_symbol(const struct cbr_image *image, const void *address,
                                    uintptr_t *start) {
  struct symbols symbols;
  if (!read_symbols(image, &symbols)) return NULL;
  uintptr_t place = (uintptr_t)address - image->base;
  const ElfW(Sym) *nearest = NULL;
  for (size_t index = symbols.first; index < symbols.end; index++) {
    const ElfW(Sym) *symbol = &symbols.table[index];
    if (covers(symbol, place) && (!nearest || nearest->st_value < symbol->st_value)) nearest = symbol;
  }
  if (!nearest) return NULL;
  *start = image->base + nearest->st_value;
  return symbols.names + nearest->st_name;
}
