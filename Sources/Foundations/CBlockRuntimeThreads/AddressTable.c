#include "CBRAddressTable.h"

#include <stdlib.h>

#include "CBROwnCalls.h"

struct cbr_address_table *cbr_address_table_create(unsigned bits) {
  OWN_CALLS;
  size_t count = (size_t)1 << bits;
  struct cbr_address_table *table =
      calloc(1, sizeof(struct cbr_address_table) + count * sizeof(struct cbr_address_entry));
  if (!table) return NULL;
  table->mask = count - 1;
  // Threads may have kept words of an earlier table at this address: the epochs differ.
  static _Atomic uint32_t created;
  atomic_init(&table->epoch, atomic_fetch_add(&created, 1) << 16);
  return table;
}

void cbr_address_table_free(struct cbr_address_table *table) {
  OWN_CALLS;
  free(table);
}

// The entry of an address, which is made if there is room; NULL if there is none.
static struct cbr_address_entry *entry_of(struct cbr_address_table *table, uintptr_t address) {
  for (size_t index = cbr_address_index(table, address);; index = (index + 1) & table->mask) {
    struct cbr_address_entry *entry = &table->entries[index];
    uintptr_t found = atomic_load_explicit(&entry->address, memory_order_acquire);
    if (found == address) return entry;
    if (found != 0) continue;
    // Look-ups end at an unused entry, so some must remain.
    if (atomic_fetch_add(&table->count, 1) >= table->mask - table->mask / 4) {
      atomic_fetch_sub(&table->count, 1);
      return NULL;
    }
    if (atomic_compare_exchange_strong(&entry->address, &found, address)) return entry;
    atomic_fetch_sub(&table->count, 1);
    if (found == address) return entry;
  }
}

bool cbr_address_reserve(struct cbr_address_table *table, uintptr_t address) {
  return entry_of(table, address) != NULL;
}

uint64_t cbr_address_claim(struct cbr_address_table *table, uintptr_t address, uint64_t word) {
  struct cbr_address_entry *entry = entry_of(table, address);
  if (!entry) return 0;
  uint64_t present = 0;
  return atomic_compare_exchange_strong(&entry->word, &present, word) ? word : present;
}

bool cbr_address_store(struct cbr_address_table *table, uintptr_t address, uint64_t word) {
  struct cbr_address_entry *entry = entry_of(table, address);
  if (!entry) return false;
  if (atomic_exchange(&entry->word, word) != 0) atomic_fetch_add(&table->epoch, 1);
  return true;
}

void cbr_address_clear(struct cbr_address_table *table) {
  for (size_t index = 0; index <= table->mask; index++) {
    if (atomic_load_explicit(&table->entries[index].address, memory_order_acquire) != 0)
      atomic_store(&table->entries[index].word, 0);
  }
  atomic_fetch_add(&table->epoch, 1);
}
