#define _GNU_SOURCE
#include "CBRSymbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CBRImages.h"
#include "CBROwnCalls.h"

// A mapped ELF file; every offset that it contains is checked against its size.
struct elf_file {
  const unsigned char *bytes;
  size_t size;
};

static const void *part(struct elf_file file, uint64_t offset, uint64_t length) {
  if (offset > file.size || length > file.size - offset) return NULL;
  return file.bytes + offset;
}

// One symbol table, with its string table.
struct symbol_table {
  const ElfW(Sym) *symbols;
  size_t count;
  const char *names;
  size_t names_size;
};

// The number of sections; 0 if the file is not an ELF file of this platform.
static unsigned section_count(struct elf_file file, const ElfW(Shdr) **sections) {
  const ElfW(Ehdr) *header = part(file, 0, sizeof *header);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
  if (header->e_shentsize != sizeof(ElfW(Shdr))) return 0;
  *sections = part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof **sections);
  return *sections ? header->e_shnum : 0;
}

// Finds the symbol table in a section; false if the section is not of the given type or malformed.
static bool find_table(struct elf_file file, unsigned index, uint32_t type,
                       struct symbol_table *table) {
  const ElfW(Shdr) *sections;
  unsigned count = section_count(file, &sections);
  const ElfW(Shdr) *section = &sections[index];
  if (section->sh_type != type || section->sh_link >= count) return false;
  const ElfW(Shdr) *strings = &sections[section->sh_link];
  table->symbols = part(file, section->sh_offset, section->sh_size);
  table->count = section->sh_size / sizeof *table->symbols;
  table->names = part(file, strings->sh_offset, strings->sh_size);
  table->names_size = strings->sh_size;
  return table->symbols && table->names;
}

// Copies a symbol's name; NULL if it has none, or if it is defined in another image.
static char *copy_name(struct symbol_table table, const ElfW(Sym) *symbol) {
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= table.names_size) return NULL;
  return strndup(table.names + symbol->st_name, table.names_size - symbol->st_name);
}

// A query of an image's file: for the function that contains `start`, or for all symbols in the
// `length` bytes from `start`. Addresses are relative to the image's base.
struct query {
  uintptr_t start;
  size_t length;
  void (*body)(const char *name, size_t offset, void *context);
  void *context;
};

// Copies the name of the function that contains the query's start, and sets that to the function's.
static char *find_in_symbol_table(struct elf_file file, struct query *query) {
  const ElfW(Shdr) *sections;
  unsigned sections_count = section_count(file, &sections);
  struct symbol_table table;
  for (unsigned index = 0; index < sections_count; index++) {
    if (!find_table(file, index, SHT_SYMTAB, &table)) continue;
    const ElfW(Sym) *symbol = table.symbols;
    for (size_t count = table.count; count > 0; count--, symbol++) {
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      if (query->start - symbol->st_value >= symbol->st_size) continue;
      char *name = copy_name(table, symbol);
      if (!name) continue;
      query->start = symbol->st_value;
      return name;
    }
  }
  return NULL;
}

// Calls the body with each symbol in the query's range; twice with those that both tables list.
static char *list_symbols(struct elf_file file, struct query *query) {
  const ElfW(Shdr) *sections;
  unsigned sections_count = section_count(file, &sections);
  struct symbol_table table;
  for (unsigned index = 0; index < sections_count; index++) {
    if (!find_table(file, index, SHT_SYMTAB, &table) &&
        !find_table(file, index, SHT_DYNSYM, &table))
      continue;
    const ElfW(Sym) *symbol = table.symbols;
    for (size_t count = table.count; count > 0; count--, symbol++) {
      if (symbol->st_value - query->start >= query->length) continue;
      char *name = copy_name(table, symbol);
      if (name) query->body(name, symbol->st_value - query->start, query->context);
      free(name);
    }
  }
  return NULL;
}

// Maps the file of an image, and calls a function with it.
static char *ask_file(const struct cbr_image *image,
                      char *(*ask)(struct elf_file, struct query *), struct query *query) {
  // The program's argv[0] may be no path at all.
  const char *path = image->path[0] ? image->path : "/proc/self/exe";
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  char *answer = NULL;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    struct elf_file file = {.size = (size_t)status.st_size};
    void *bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      file.bytes = bytes;
      answer = ask(file, query);
      munmap(bytes, file.size);
    }
  }
  close(descriptor);
  return answer;
}

bool cbr_find_symbol(const void *address, struct cbr_symbol *symbol) {
  OWN_CALLS;
  struct cbr_image image;
  if (!cbr_find_image(address, &image)) return false;
  symbol->image = image.path[0] ? image.path : program_invocation_name;
  uintptr_t start;
  const char *name = cbr_find_dynamic_symbol(&image, address, &start);
  if (name) {
    symbol->name = strdup(name);
    symbol->offset = (uintptr_t)address - start;
    return true;
  }
  uintptr_t place = (uintptr_t)address - image.base;
  struct query query = {.start = place};
  symbol->name = ask_file(&image, find_in_symbol_table, &query);
  symbol->offset = symbol->name ? place - query.start : (uintptr_t)address - image.start;
  return true;
}

void cbr_list_symbols(const void *start, size_t length,
                      void (*body)(const char *name, size_t offset, void *context),
                      void *context) {
  OWN_CALLS;
  struct cbr_image image;
  if (!cbr_find_image(start, &image)) return;
  struct query query = {(uintptr_t)start - image.base, length, body, context};
  ask_file(&image, list_symbols, &query);
}
