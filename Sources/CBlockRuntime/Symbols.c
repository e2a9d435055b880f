#define _GNU_SOURCE
#include "CBRSymbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The symbol table of an ELF file; every offset the file gives is checked against its size.
struct elf_file {
  const unsigned char *bytes;
  size_t size;
};

static const void *part(struct elf_file file, uint64_t offset, uint64_t length) {
  if (offset > file.size || length > file.size - offset) return NULL;
  return file.bytes + offset;
}

// Copies the name of the function that holds `address`, which is relative to the image's base.
static char *find_in_symbol_table(struct elf_file file, uintptr_t address, uintptr_t *start) {
  const ElfW(Ehdr) *header = part(file, 0, sizeof *header);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
  if (header->e_shentsize != sizeof(ElfW(Shdr))) return NULL;
  const ElfW(Shdr) *sections =
      part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections);
  if (!sections) return NULL;

  for (unsigned index = 0; index < header->e_shnum; index++) {
    const ElfW(Shdr) *section = &sections[index];
    if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum) continue;
    const ElfW(Shdr) *strings = &sections[section->sh_link];
    const ElfW(Sym) *symbols = part(file, section->sh_offset, section->sh_size);
    const char *names = part(file, strings->sh_offset, strings->sh_size);
    if (!symbols || !names) continue;

    for (size_t count = section->sh_size / sizeof *symbols; count > 0; count--, symbols++) {
      bool is_function = ELF64_ST_TYPE(symbols->st_info) == STT_FUNC;
      if (!is_function || symbols->st_shndx == SHN_UNDEF) continue;
      if (address - symbols->st_value >= symbols->st_size) continue;
      if (symbols->st_name >= strings->sh_size) continue;
      *start = symbols->st_value;
      return strndup(names + symbols->st_name, strings->sh_size - symbols->st_name);
    }
  }
  return NULL;
}

static char *find_in_file(const char *path, uintptr_t address, uintptr_t *start) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  char *name = NULL;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    struct elf_file file = {.size = (size_t)status.st_size};
    void *bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      file.bytes = bytes;
      name = find_in_symbol_table(file, address, start);
      munmap(bytes, file.size);
    }
  }
  close(descriptor);
  return name;
}

bool cbr_find_symbol(const void *address, struct cbr_symbol *symbol) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP)) return false;
  symbol->image = info.dli_fname;
  if (info.dli_sname) {
    symbol->name = strdup(info.dli_sname);
    symbol->offset = (uintptr_t)address - (uintptr_t)info.dli_saddr;
    return true;
  }
  // The program itself has no name in the link map; its argv[0] may be no path at all.
  bool is_program = !map || !map->l_name || !map->l_name[0];
  uintptr_t base = map ? map->l_addr : (uintptr_t)info.dli_fbase;
  uintptr_t start = 0;
  uintptr_t relative = (uintptr_t)address - base;
  symbol->name = find_in_file(is_program ? "/proc/self/exe" : map->l_name, relative, &start);
  symbol->offset = symbol->name ? relative - start : (uintptr_t)address - (uintptr_t)info.dli_fbase;
  return true;
}
