#define _GNU_SOURCE
#include "CBRSymbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "CBRBuildIDs.h"
#include "CBRImages.h"
#include "CBROwnCalls.h"
#include "SymbolFiles.h"

// Passes the symbol on, with the name of the function in the image's file, if the file has one.
static void visit_file(struct cbr_symbol *symbol,
                       void (*body)(const struct cbr_symbol *symbol, void *context),
                       void *context) {
  struct symbol_file *file = cbr_take_symbol_file(symbol->file, symbol->build_id);
  uintptr_t start;
  if (file) symbol->name = cbr_function_at(file, symbol->place, &symbol->name_length, &start);
  if (symbol->name) symbol->offset = symbol->place - start;
  body(symbol, context);
  if (file) cbr_give_back_symbol_file(file);
}

bool cbr_visit_symbol(const void *address,
                      void (*body)(const struct cbr_symbol *symbol, void *context), void *context) {
  OWN_CALLS;
  struct cbr_image image;
  if (!cbr_find_image(address, &image)) return false;
  char path[FILE_PATH_SIZE];
  struct cbr_symbol symbol = {.image = image.path[0] ? image.path : program_invocation_name,
                              .offset = (uintptr_t)address - image.start,
                              .file = cbr_file_path(&image, path, sizeof path),
                              .place = (uintptr_t)address - image.base,
                              .build_id = cbr_build_id_of_image(&image)};
  uintptr_t start;
  symbol.name = cbr_find_dynamic_symbol(&image, address, &start);
  if (symbol.name) {
    symbol.name_length = strlen(symbol.name);
    symbol.offset = (uintptr_t)address - start;
    body(&symbol, context);
  } else {
    visit_file(&symbol, body, context);
  }
  return true;
}

// MARK: Lists

static bool ends_with(const char *name, size_t length, const char *ending) {
  size_t size = strlen(ending);
  return length >= size && memcmp(name + length - size, ending, size) == 0;
}

void cbr_list_symbols(const void *start, size_t length, const char *ending,
                      void (*body)(const char *name, size_t offset, void *context),
                      void *context) {
  OWN_CALLS;
  struct cbr_image image;
  if (!cbr_find_image(start, &image)) return;
  char path[FILE_PATH_SIZE];
  struct elf_file file = cbr_map_file(cbr_file_path(&image, path, sizeof path));
  if (!file.bytes) return;
  uintptr_t place = (uintptr_t)start - image.base;
  const ElfW(Shdr) *sections;
  unsigned sections_count = elf_section_count(file, &sections);
  struct symbol_table table;
  for (unsigned index = 0; index < sections_count; index++) {
    if (!elf_read_table(file, index, SHT_SYMTAB, &table) &&
        !elf_read_table(file, index, SHT_DYNSYM, &table))
      continue;
    const ElfW(Sym) *symbol = table.symbols;
    for (size_t count = table.count; count > 0; count--, symbol++) {
      if (symbol->st_value - place >= length) continue;
      size_t name_length;
      const char *name = elf_name(table, symbol, &name_length);
      char *copy = name && ends_with(name, name_length, ending) ? strndup(name, name_length) : NULL;
      if (copy) body(copy, symbol->st_value - place, context);
      free(copy);
    }
  }
  cbr_unmap_file(file);
}
