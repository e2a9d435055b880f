// Names of code addresses, static functions included, and the Swift runtime's demangler.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbr_symbol {
  char *name;        // Freed by the caller; NULL if no symbol covers the address.
  const char *image; // The path of the image, argv[0] for the program; valid while the image is loaded.
  uintptr_t offset;  // The distance from the symbol, or from the image's base without a symbol.
};

// Finds the function that contains `address`: among the dynamic symbols, then among all symbols of
// the image's file. False if no loaded image contains the address. Where `cbr_find_image` takes no lock, this
// takes none of the loader's either.
bool cbr_find_symbol(const void *address, struct cbr_symbol *symbol);

// Calls `body` with each symbol, function or data, that begins in a range of an image: with its name
// and its distance from `start`. Reads the image's file; a symbol that both of its symbol tables list
// is passed twice.
void cbr_list_symbols(const void *start, size_t length,
                      void (*body)(const char *name, size_t offset, void *context),
                      void *context);

// Declared in swift/include/swift/Demangling/Demangle.h; libswiftCore exports it and no Swift
// module declares it. Returns memory that the caller frees, or NULL if `mangled` is no Swift symbol.
char *swift_demangle(const char *mangled, size_t length, char *output, size_t *output_size,
                     uint32_t flags);
