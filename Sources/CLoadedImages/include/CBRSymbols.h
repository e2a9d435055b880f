// Names of code addresses, static functions included, and the Swift runtime's demangler.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbr_symbol {
  char *name;        // To be freed; NULL where no symbol covers the address.
  const char *image; // The path of the image; valid while the image is loaded.
  uintptr_t offset;  // The address's distance from the symbol, or from the image where it has none.
};

// Finds the function that holds `address`: among the dynamic symbols, then among all symbols of
// the image's file. False where no loaded image holds the address.
bool cbr_find_symbol(const void *address, struct cbr_symbol *symbol);

// Calls `body` with the names of the symbols, of functions and data, that begin in a range of an
// image, and their distances from its start. The image's file is read; some come twice.
void cbr_list_symbols(const void *start, size_t length,
                      void (*body)(const char *name, size_t offset, void *context),
                      void *context);

// Declared in swift/include/swift/Demangling/Demangle.h; libswiftCore exports it and no Swift
// module declares it. Returns memory to be freed, or NULL where `mangled` is no Swift symbol.
char *swift_demangle(const char *mangled, size_t length, char *output, size_t *output_size,
                     uint32_t flags);
