// Names of code addresses, static functions included, and the Swift runtime's demangler.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbr_symbol {
  const char *name;   // Not terminated; NULL if no symbol covers the address.
  size_t name_length;
  const char *image;  // The path of the image as the loader has it, argv[0] for the program.
  uintptr_t offset;   // The distance from the symbol, or from the image's base without a symbol.
  const char *file;   // The path at which this process finds the image's file; empty if none.
  uintptr_t place;    // The address as it stands in the file.
  uint64_t build_id;  // The beginning of the image's build ID; 0 if it has none.
};

// Calls `body` with the function that contains `address`, whose texts are valid until `body`
// returns. The function is looked for among the dynamic symbols, and then among all symbols of the
// image's file. Calls of hooked functions are ignored meanwhile. False if no loaded image contains
// the address.
//
// Allocates nothing and takes no lock, where `cbr_find_image` takes none.
bool cbr_visit_symbol(const void *address,
                      void (*body)(const struct cbr_symbol *symbol, void *context), void *context);

// Calls `body` with each symbol, function or data, that begins in a range of an image and whose
// name has an ending: with the name, and the distance from `start`. Reads the image's file; a
// symbol that both of its symbol tables list is passed twice.
void cbr_list_symbols(const void *start, size_t length, const char *ending,
                      void (*body)(const char *name, size_t offset, void *context),
                      void *context);

// A function that Swift's compiler made, which calls a closure with what the closure captures.
struct cbr_forwarder {
  uintptr_t target;  // The place of the closure in the file; 0 if it is part of the forwarder.
  size_t size;       // In bytes; 0 for what is no forwarder.
};

// The forwarder that begins at a place in a file.
struct cbr_forwarder cbr_find_forwarder(const char *path, uintptr_t place);

// Declared in swift/include/swift/Demangling/Demangle.h; libswiftCore exports it and no Swift
// module declares it. Returns memory that the caller frees, or NULL if `mangled` is no Swift
// symbol.
char *swift_demangle(const char *mangled, size_t length, char *output, size_t *output_size,
                     uint32_t flags);
