#define _GNU_SOURCE
#include "CBRImportSlots.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "CBROwnCalls.h"
#include "SlotIndex.h"

struct visit {
  const char *symbol;
  void *context;
  void (*visit)(void *context, const struct cbr_import_slot *slot);
};

static void visit_slot(const struct cbr_slot_index *index, uint32_t number,
                       const struct visit *visit) {
  const ElfW(Rela) *relocation = index->slots[number].relocation;
  const struct cbr_object *object = &index->objects[index->slots[number].object];
  const struct cbr_tables *tables = &object->tables;
  size_t symbol = ELF64_R_SYM(relocation->r_info);
  const char *name = tables->strings + tables->symbols[symbol].st_name;
  if (visit->symbol && strcmp(name, visit->symbol) != 0) return;

  const ElfW(Rela) *calls = tables->relocations[0];
  bool is_call = ELF64_R_TYPE(relocation->r_info) == CBR_CALL_SLOT;
  bool is_bound_lazily =
      is_call && relocation >= calls && relocation < calls + tables->relocation_counts[0];
  struct cbr_import_slot slot = {
      .image = object->path, .symbol = name, .version = cbr_symbol_version(tables, symbol),
      .place = (const void **)(tables->base + relocation->r_offset), .is_call = is_call,
      .binder = object->binder};
  uintptr_t place = (uintptr_t)slot.place;
  slot.is_sealed_later = place >= object->sealed_start && place < object->sealed_end;
  slot.binder.index = is_bound_lazily ? (size_t)(relocation - calls) : SIZE_MAX;
  cbr_read_slot(&slot);
  visit->visit(visit->context, &slot);
}

void cbr_read_slot(struct cbr_import_slot *slot) {
  const struct cbr_binder *binder = &slot->binder;
  slot->value = __atomic_load_n(slot->place, __ATOMIC_ACQUIRE);
  // In the file the slot holds the binder's address without the base, which the loader adds.
  uintptr_t based = (uintptr_t)slot->value + binder->base;
  slot->is_relocated =
      slot->value && !(binder->base && cbr_leads_to_binder(binder, (const void *)based));
  slot->is_bound = slot->is_relocated && !cbr_leads_to_binder(binder, slot->value);
}

static int visit_slots(struct dl_phdr_info *info, size_t size, void *context) {
  // The lock of the list of objects orders what threads do here; ThreadSanitizer sees this word
  // instead.
  static unsigned visits;
  (void)__atomic_load_n(&visits, __ATOMIC_ACQUIRE);
  const struct visit *visit = context;
  struct cbr_load_counts counts = {info->dlpi_adds, info->dlpi_subs};
  const struct cbr_slot_index *index = cbr_slot_index(counts);
  if (visit->symbol)
    for (uint32_t next = cbr_first_slot(index, visit->symbol); next; next = index->slots[next - 1].next)
      visit_slot(index, next - 1, visit);
  else
    for (uint32_t number = 0; number < index->slot_count; number++) visit_slot(index, number, visit);
  __atomic_fetch_add(&visits, 1, __ATOMIC_RELEASE);
  return 1;
}

void cbr_visit_import_slots(const char *symbol, void *context,
                            void (*visit)(void *context, const struct cbr_import_slot *slot)) {
  OWN_CALLS;
  struct visit arguments = {symbol, context, visit};
  dl_iterate_phdr(visit_slots, &arguments);
}

void cbr_await_loading(void) {
  OWN_CALLS;
  // The loader holds its lock until a load is complete.
  void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (program) dlclose(program);
}

// The symbol that is nearest before an address, or NULL.
static const ElfW(Sym) *symbol_at(const void *address) {
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  return dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) ? symbol : NULL;
}

bool cbr_is_data(const void *address) {
  OWN_CALLS;
  const ElfW(Sym) *symbol = symbol_at(address);
  unsigned kind = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;
  return kind == STT_OBJECT || kind == STT_TLS;
}

bool cbr_has_variant_calls(const void *address) {
#if defined(__aarch64__)
  OWN_CALLS;
  const ElfW(Sym) *symbol = symbol_at(address);
  return symbol && (symbol->st_other & STO_AARCH64_VARIANT_PCS);
#else
  return false;
#endif
}

bool cbr_change_slot(const void **place, const void *seen, const void *value) {
  return __atomic_compare_exchange_n(place, &seen, value, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
