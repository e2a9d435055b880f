#include <elf.h>
#include <link.h>
#include <stddef.h>

#include "CBRImages.h"

// The dynamic symbols that an image defines, from `first` to before `end`.
struct symbols {
  const ElfW(Sym) *table;
  const char *names;
  size_t first, end;
};

// The part of an image at an address in its dynamic section, to which the loader may have added the
// base already.
static const void *pointer(const struct cbr_image *image, ElfW(Addr) value) {
  return (const void *)(value < image->base ? image->base + value : value);
}

// The symbols behind the undefined ones are those in the chains, each of which ends with an odd
// hash.
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
    if (!covers(symbol, place)) continue;
    if (!nearest || nearest->st_value < symbol->st_value) nearest = symbol;
  }
  if (!nearest) return NULL;
  *start = image->base + nearest->st_value;
  return symbols.names + nearest->st_name;
}
