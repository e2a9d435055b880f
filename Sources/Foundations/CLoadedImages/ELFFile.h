// An ELF file in memory, and its symbol tables.
#pragma once

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A mapped ELF file; every offset that it contains is checked against its size.
struct elf_file {
  const unsigned char *bytes;
  size_t size;
};

// The part of a file at an offset; NULL if the file is shorter.
static inline const void *elf_part(struct elf_file file, uint64_t offset, uint64_t length) {
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

// The number of sections, and their headers; 0 if the file is not an ELF file of this platform.
static inline unsigned elf_section_count(struct elf_file file, const ElfW(Shdr) **sections) {
  const ElfW(Ehdr) *header = elf_part(file, 0, sizeof *header);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
  if (header->e_shentsize != sizeof(ElfW(Shdr))) return 0;
  *sections = elf_part(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof **sections);
  return *sections ? header->e_shnum : 0;
}

// Reads the symbol table in a section; false if the section is not of the given type or malformed.
static inline bool elf_read_table(struct elf_file file, unsigned index, uint32_t type,
                                  struct symbol_table *table) {
  const ElfW(Shdr) *sections;
  unsigned count = elf_section_count(file, &sections);
  const ElfW(Shdr) *section = &sections[index];
  if (section->sh_type != type || section->sh_link >= count) return false;
  const ElfW(Shdr) *strings = &sections[section->sh_link];
  table->symbols = elf_part(file, section->sh_offset, section->sh_size);
  table->count = section->sh_size / sizeof *table->symbols;
  table->names = elf_part(file, strings->sh_offset, strings->sh_size);
  table->names_size = strings->sh_size;
  return table->symbols && table->names;
}

// The table of all symbols; without symbols if the file has none.
static inline struct symbol_table elf_symbols(struct elf_file file) {
  const ElfW(Shdr) *sections;
  unsigned count = elf_section_count(file, &sections);
  struct symbol_table table;
  for (unsigned index = 0; index < count; index++)
    if (elf_read_table(file, index, SHT_SYMTAB, &table)) return table;
  return (struct symbol_table){0};
}

// A symbol's name, and its length; NULL if it has none, or if it is defined in another image.
static inline const char *elf_name(struct symbol_table table, const ElfW(Sym) *symbol,
                                   size_t *length) {
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= table.names_size) return NULL;
  const char *name = table.names + symbol->st_name;
  *length = strnlen(name, table.names_size - symbol->st_name);
  return name;
}
