// The functions of images' files.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CBRImages.h"
#include "ELFFile.h"

// The path at which this process finds the file of an image, which may be in `memory`; empty if it does not.
//
// Allocates nothing and takes no lock.
const char *cbr_file_path(const struct cbr_image *image, char *memory, size_t size);

// How much memory that needs; longer paths are not found.
enum { FILE_PATH_SIZE = 1024 };

// Maps a file; its bytes are NULL if that fails.
struct elf_file cbr_map_file(const char *path);
void cbr_unmap_file(struct elf_file file);

// The beginning of the build ID of a mapped file; 0 if it has none.
uint64_t cbr_build_id_of_mapped_file(struct elf_file file);

struct symbol_file;

// The file of a path with its functions, for this thread alone until it is given back; NULL if there is none of
// that build ID, 0 for a file without one.
//
// The last ones stay mapped, with an index: a program's file has half a million symbols.
struct symbol_file *cbr_take_symbol_file(const char *path, uint64_t build_id);
void cbr_give_back_symbol_file(struct symbol_file *file);

// The name of the function at a place in a file, and its length; sets `start` to the function's place. NULL if
// there is none.
const char *cbr_function_at(const struct symbol_file *file, uintptr_t place, size_t *length,
                            uintptr_t *start);
