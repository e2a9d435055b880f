#define _GNU_SOURCE
#include "SlotIndex.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CBROwnCalls.h"
#include "CBRWrappedSlots.h"

// The loader protects the whole pages of PT_GNU_RELRO, the last one only if it is full.
static void read_sealed_pages(struct cbr_object *object, uintptr_t base, const ElfW(Phdr) *header) {
  uintptr_t mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
  uintptr_t start = base + header->p_vaddr;
  object->sealed_start = start & mask;
  object->sealed_end = (start + header->p_memsz) & mask;
}

// Whether an object is of those that the tracer brings which is preloaded: a program that contains
// these libraries has it too, if another traced program started it.
static bool is_second_runtime(const char *path) {
  static const char *const files[] = {"libBlockTracer.so", "libBlocksRuntime.so", "libdispatch.so", "libswift"};
  if (!cbr_has_wrapped_slots()) return false;
  const char *file = basename(path);
  for (size_t index = 0; index < sizeof files / sizeof *files; index++)
    if (strncmp(file, files[index], strlen(files[index])) == 0) return true;
  return false;
}

static bool read_object(const struct dl_phdr_info *info, struct cbr_object *object) {
  *object = (struct cbr_object){.path = info->dlpi_name ? info->dlpi_name : ""};
  if (is_second_runtime(object->path)) return false;
  if (!cbr_read_tables(info->dlpi_addr, cbr_dynamic_section(info), &object->tables)) return false;
  object->binder = (struct cbr_binder){.base = info->dlpi_addr,
                                       .headers = info->dlpi_phdr,
                                       .header_count = info->dlpi_phnum,
                                       .table = object->tables.slots};
  for (size_t index = 0; index < info->dlpi_phnum; index++)
    if (info->dlpi_phdr[index].p_type == PT_GNU_RELRO)
      read_sealed_pages(object, info->dlpi_addr, &info->dlpi_phdr[index]);
  return true;
}

static bool is_import(const struct cbr_tables *tables, const ElfW(Rela) *relocation) {
  int type = (int)ELF64_R_TYPE(relocation->r_info);
  if (type != CBR_CALL_SLOT && type != CBR_ADDRESS_SLOT) return false;
  const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(relocation->r_info)];
  unsigned kind = ELF64_ST_TYPE(symbol->st_info);
  return kind != STT_OBJECT && kind != STT_TLS && tables->strings[symbol->st_name];
}

// Counts an object and, as its slots, all relocations that may be imports.
static void count(struct cbr_slot_index *index, const struct cbr_object *object) {
  const struct cbr_tables *tables = &object->tables;
  index->object_count++;
  index->slot_count += tables->relocation_counts[0] + tables->relocation_counts[1];
}

static int count_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct cbr_object object;
  if (read_object(info, &object)) count(context, &object);
  return 0;
}

static void add(struct cbr_slot_index *index, const struct cbr_object *object) {
  index->objects[index->object_count] = *object;
  // The table of all relocations may contain the table of those of calls: those are skipped.
  const struct cbr_tables *tables = &object->tables;
  const ElfW(Rela) *calls = tables->relocations[0];
  for (int table = 0; table < 2; table++)
    for (size_t number = 0; number < tables->relocation_counts[table]; number++) {
      const ElfW(Rela) *relocation = &tables->relocations[table][number];
      bool is_seen =
          table == 1 && relocation >= calls && relocation < calls + tables->relocation_counts[0];
      if (!is_seen && is_import(tables, relocation))
        index->slots[index->slot_count++] =
            (struct cbr_indexed_slot){.relocation = relocation, .object = index->object_count};
    }
  index->object_count++;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct cbr_object object;
  if (read_object(info, &object)) add(context, &object);
  return 0;
}

static void link_slots(struct cbr_slot_index *index) {
  // In reverse, so that the slots of a symbol stay in their order.
  for (uint32_t number = index->slot_count; number > 0; number--) {
    struct cbr_indexed_slot *slot = &index->slots[number - 1];
    const struct cbr_tables *tables = &index->objects[slot->object].tables;
    size_t symbol = ELF64_R_SYM(slot->relocation->r_info);
    uint32_t hash = cbr_gnu_hash(tables->strings + tables->symbols[symbol].st_name);
    uint32_t *first = &index->firsts[hash & index->mask];
    slot->next = *first;
    *first = number;
  }
}

static void discard(struct cbr_slot_index *index) {
  free(index->objects);
  free(index->slots);
  free(index->firsts);
  *index = (struct cbr_slot_index){0};
}

static bool fill(struct cbr_slot_index *index) {
  dl_iterate_phdr(count_object, index);
  size_t wrapped_count;
  const struct cbr_object *wrapped = cbr_wrapped_objects(&wrapped_count);
  for (size_t number = 0; number < wrapped_count; number++) count(index, &wrapped[number]);
  // What the count of slots is too large by remains untouched memory.
  index->objects = calloc(index->object_count, sizeof *index->objects);
  index->slots = malloc(index->slot_count * sizeof *index->slots);
  if (!index->objects || !index->slots) return false;
  index->object_count = index->slot_count = 0;
  dl_iterate_phdr(add_object, index);
  for (size_t number = 0; number < wrapped_count; number++) add(index, &wrapped[number]);
  uint32_t first_count = 1;
  while (first_count < index->slot_count) first_count *= 2;
  index->firsts = calloc(first_count, sizeof *index->firsts);
  if (!index->firsts) return false;
  index->mask = first_count - 1;
  link_slots(index);
  return true;
}

const struct cbr_slot_index *cbr_slot_index(struct cbr_load_counts counts) {
  OWN_CALLS;
  static struct cbr_slot_index index;
  if (index.counts.loaded == counts.loaded && index.counts.unloaded == counts.unloaded) return &index;
  discard(&index);
  if (fill(&index)) index.counts = counts;
  else discard(&index);
  return &index;
}

uint32_t cbr_first_slot(const struct cbr_slot_index *index, const char *symbol) {
  return index->firsts ? index->firsts[cbr_gnu_hash(symbol) & index->mask] : 0;
}
