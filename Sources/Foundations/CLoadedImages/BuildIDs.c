#define _GNU_SOURCE
#include "CBRBuildIDs.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "CBROwnCalls.h"
#include "SymbolFiles.h"

// An image's program headers and notes, wherever they are: in its file, or where it was loaded.
struct image_parts {
  struct elf_file file;
  // The number that was added to the addresses in the file; unused for the file itself.
  uintptr_t base;
  bool is_loaded;
};

static const void *part(const struct image_parts *parts, const ElfW(Phdr) *segment) {
  if (parts->is_loaded) return (const void *)(parts->base + segment->p_vaddr);
  return elf_part(parts->file, segment->p_offset, segment->p_filesz);
}

static size_t padded(size_t size) { return (size + 3) & ~(size_t)3; }

// The beginning of the build ID among notes; 0 if there is none.
static uint64_t id_in_notes(const unsigned char *notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof note);
    size_t name = padded(note.n_namesz), whole = sizeof note + name + padded(note.n_descsz);
    if (whole > size) return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
        memcmp(notes + sizeof note, "GNU", sizeof "GNU") == 0) {
      uint64_t id = 0;
      size_t length = note.n_descsz < sizeof id ? note.n_descsz : sizeof id;
      memcpy(&id, notes + sizeof note + name, length);
      return id;
    }
    notes += whole;
    size -= whole;
  }
  return 0;
}

static uint64_t id_of(const struct image_parts *parts) {
  const ElfW(Ehdr) *header = elf_part(parts->file, 0, sizeof *header);
  if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return 0;
  if (header->e_phentsize != sizeof(ElfW(Phdr))) return 0;
  size_t size = header->e_phnum * sizeof(ElfW(Phdr));
  const ElfW(Phdr) *segments = elf_part(parts->file, header->e_phoff, size);
  for (unsigned index = 0; segments && index < header->e_phnum; index++) {
    if (segments[index].p_type != PT_NOTE) continue;
    const void *notes = part(parts, &segments[index]);
    uint64_t id = notes ? id_in_notes(notes, segments[index].p_filesz) : 0;
    if (id) return id;
  }
  return 0;
}

uint64_t cbr_build_id_of_image(const struct cbr_image *image) {
  OWN_CALLS;
  // The loader maps the beginning of a file in one piece, and the headers are in its first page.
  enum { HEADERS = 4096 };
  return id_of(&(struct image_parts){.file = {.bytes = (const void *)image->start, .size = HEADERS},
                                     .base = image->base,
                                     .is_loaded = true});
}

uint64_t cbr_build_id_of_mapped_file(struct elf_file file) {
  OWN_CALLS;
  return id_of(&(struct image_parts){.file = file});
}

uint64_t cbr_build_id_of_file(const char *path) {
  OWN_CALLS;
  struct elf_file file = cbr_map_file(path);
  if (!file.bytes) return 0;
  uint64_t id = cbr_build_id_of_mapped_file(file);
  cbr_unmap_file(file);
  return id;
}
