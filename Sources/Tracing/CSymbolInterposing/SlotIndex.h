// All import slots of the loaded objects, found by the hashes of their symbols: a tracer looks for
// a hundred symbols at the start of each program.
#pragma once

#include <elf.h>

#include "CBRImportSlots.h"
#include "ObjectTables.h"

#if defined(__x86_64__)
enum { CBR_CALL_SLOT = R_X86_64_JUMP_SLOT, CBR_ADDRESS_SLOT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { CBR_CALL_SLOT = R_AARCH64_JUMP_SLOT, CBR_ADDRESS_SLOT = R_AARCH64_GLOB_DAT };
#else
// No relocation has these types.
enum { CBR_CALL_SLOT = -1, CBR_ADDRESS_SLOT = -1 };
#endif

struct cbr_object {
  const char *path;
  struct cbr_binder binder;
  struct cbr_tables tables;
  // The pages that the loader makes read-only once it has relocated the object.
  uintptr_t sealed_start, sealed_end;
};

struct cbr_indexed_slot {
  const ElfW(Rela) *relocation;
  uint32_t object;
  // The number, from 1, of the next slot whose symbol has such a hash; 0 for none.
  uint32_t next;
};

struct cbr_slot_index {
  struct cbr_load_counts counts;
  struct cbr_object *objects;
  uint32_t object_count;
  // The program's slots first, and those of each object together.
  struct cbr_indexed_slot *slots;
  uint32_t slot_count;
  // The number of the first slot by the last bits of the hash.
  uint32_t *firsts;
  uint32_t mask;
};

// The objects that stand for what the linker wraps, and how many they are.
__attribute__((visibility("hidden"))) const struct cbr_object *cbr_wrapped_objects(size_t *count);

// The index of the objects that are loaded now; empty without memory. It is used under the lock of
// the list of objects only, and valid until that is released.
__attribute__((visibility("hidden"))) const struct cbr_slot_index *cbr_slot_index(
    struct cbr_load_counts counts);

// The number, from 1, of the first slot that may be of a symbol, 0 for none.
__attribute__((visibility("hidden"))) uint32_t cbr_first_slot(const struct cbr_slot_index *index,
                                                              const char *symbol);
