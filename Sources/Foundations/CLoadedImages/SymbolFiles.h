// The functions of images' files.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CBRImages.h"
#include "ELFFile.h"

// The path at which this process finds the file of an image: the image's own, a constant, or text
// in `memory`; empty if the file is not found.
//
// Allocates nothing and takes no lock.
const char *cbr_file_path(const struct cbr_image *image, char *memory, size_t size);

// The size that `memory` should have; longer paths are not found.
enum { FILE_PATH_SIZE = 1024 };

// Maps a file; its bytes are NULL if that fails.
struct elf_file cbr_map_file(const char *path);
void cbr_unmap_file(struct elf_file file);

// The beginning of the build ID of a mapped file; 0 if it has none.
uint64_t cbr_build_id_of_mapped_file(struct elf_file file);

struct symbol_file;

// Takes the file at a path with its functions, for this thread alone until it is given back. NULL
// if the file cannot be read or has another build ID, which is 0 for a file without one.
//
// The files that were used last stay mapped, with an index: a program's has half a million symbols.
struct symbol_file *cbr_take_symbol_file(const char *path, uint64_t build_id);
void cbr_give_back_symbol_file(struct symbol_file *file);

// The name of the function at a place in a file, and the name's length; sets `start` to the
// function's place. NULL if there is none.
const char *cbr_function_at(const struct symbol_file *file, uintptr_t place, size_t *length,
                            uintptr_t *start);
