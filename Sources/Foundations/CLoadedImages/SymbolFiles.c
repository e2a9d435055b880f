#define _GNU_SOURCE
#include "SymbolFiles.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CBROwnCalls.h"

// The range of addresses of the functions among STRIDE symbols in a row. Linkers write the symbols
// of one object file after those of another, so that most ranges are narrow.
enum { STRIDE = 256 };
struct range {
  uintptr_t first, end;
};

struct symbol_file {
  // By its status the file is told from a later one at the same path.
  struct stat status;
  struct elf_file file;
  uint64_t build_id;
  // The table of all symbols; without symbols if the file has none.
  struct symbol_table table;
  // The size of this structure.
  size_t size;
  struct range ranges[];
};

// MARK: Mapping

static struct elf_file map_descriptor(int descriptor, const struct stat *status) {
  struct elf_file file = {.size = (size_t)status->st_size};
  if (status->st_size <= 0) return file;
  void *bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (bytes != MAP_FAILED) file.bytes = bytes;
  return file;
}

static struct elf_file map_path(const char *path, struct stat *status) {
  struct elf_file file = {0};
  // A pipe in a file's place is not waited for.
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return file;
  if (fstat(descriptor, status) == 0 && S_ISREG(status->st_mode))
    file = map_descriptor(descriptor, status);
  close(descriptor);
  return file;
}

struct elf_file cbr_map_file(const char *path) {
  OWN_CALLS;
  struct stat status;
  return map_path(path, &status);
}

void cbr_unmap_file(struct elf_file file) {
  OWN_CALLS;
  munmap((void *)file.bytes, file.size);
}

// MARK: Functions

static bool is_function(const ElfW(Sym) *symbol) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
}

static void index_functions(struct symbol_file *made) {
  for (size_t index = 0; index < made->table.count; index++) {
    const ElfW(Sym) *symbol = &made->table.symbols[index];
    struct range *range = &made->ranges[index / STRIDE];
    if (index % STRIDE == 0) *range = (struct range){UINTPTR_MAX, 0};
    if (!is_function(symbol)) continue;
    uintptr_t end = symbol->st_value + symbol->st_size;
    if (symbol->st_value < range->first) range->first = symbol->st_value;
    if (end > range->end) range->end = end;
  }
}

static struct symbol_file *make(struct elf_file file, const struct stat *status) {
  struct symbol_table table = elf_symbols(file);
  size_t ranges = (table.count + STRIDE - 1) / STRIDE;
  size_t size = sizeof(struct symbol_file) + ranges * sizeof(struct range);
  // Not the allocator's memory: the thread may be in the allocator.
  struct symbol_file *made =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return NULL;
  made->status = *status;
  made->file = file;
  made->build_id = cbr_build_id_of_mapped_file(file);
  made->table = table;
  made->size = size;
  index_functions(made);
  return made;
}

const char *cbr_function_at(const struct symbol_file *file, uintptr_t place, size_t *length,
                            uintptr_t *start) {
  OWN_CALLS;
  struct symbol_table table = file->table;
  for (size_t first = 0; first < table.count; first += STRIDE) {
    const struct range *range = &file->ranges[first / STRIDE];
    if (place < range->first || place >= range->end) continue;
    size_t end = first + STRIDE < table.count ? first + STRIDE : table.count;
    for (size_t index = first; index < end; index++) {
      const ElfW(Sym) *symbol = &table.symbols[index];
      if (!is_function(symbol) || place - symbol->st_value >= symbol->st_size) continue;
      const char *name = elf_name(table, symbol, length);
      if (!name) continue;
      *start = symbol->st_value;
      return name;
    }
  }
  return NULL;
}

// MARK: Files

// The files that stay mapped. A thread takes a file out of its place while it uses the file: a
// signal's handler, another thread and the child of a fork find the place empty, and map the file
// again.
enum { PLACES = 16 };
static struct symbol_file *_Atomic known[PLACES];

static struct symbol_file *_Atomic *place_of(const struct stat *status) {
  return &known[(uint64_t)status->st_ino % PLACES];
}

static void forget(struct symbol_file *file) {
  cbr_unmap_file(file->file);
  munmap(file, file->size);
}

static bool is_same(const struct stat *one, const struct stat *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
         one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
         one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static struct symbol_file *take(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return NULL;
  struct symbol_file *taken = atomic_exchange(place_of(&status), NULL);
  if (taken && is_same(&taken->status, &status)) return taken;
  if (taken) forget(taken);
  struct elf_file file = map_path(path, &status);
  if (!file.bytes) return NULL;
  struct symbol_file *made = make(file, &status);
  if (!made) cbr_unmap_file(file);
  return made;
}

struct symbol_file *cbr_take_symbol_file(const char *path, uint64_t build_id) {
  OWN_CALLS;
  struct symbol_file *file = take(path);
  if (!file || file->build_id == build_id) return file;
  cbr_give_back_symbol_file(file);
  return NULL;
}

void cbr_give_back_symbol_file(struct symbol_file *file) {
  OWN_CALLS;
  struct symbol_file *none = NULL;
  if (!atomic_compare_exchange_strong(place_of(&file->status), &none, file)) forget(file);
}
