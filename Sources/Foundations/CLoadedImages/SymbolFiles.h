// The functions of images' files.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ELFFile.h"

// The path at which an image's file is found: the program's argv[0] may be no path at all.
static inline const char *cbr_file_path(const char *path) { return path[0] ? path : "/proc/self/exe"; }

// Maps a file; its bytes are NULL if that fails.
struct elf_file cbr_map_file(const char *path);
void cbr_unmap_file(struct elf_file file);

struct symbol_file;

// The file of a path with its functions, for this thread alone until it is given back; NULL without one.
//
// The last ones stay mapped, with an index: a program's file has half a million symbols.
struct symbol_file *cbr_take_symbol_file(const char *path);
void cbr_give_back_symbol_file(struct symbol_file *file);

// The name of the function at a place in a file, and its length; sets `start` to the function's place. NULL if
// there is none.
const char *cbr_function_at(const struct symbol_file *file, uintptr_t place, size_t *length,
                            uintptr_t *start);
