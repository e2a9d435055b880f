// A table from addresses to words, which threads read and change without a lock, so that the child
// of a fork finds none taken. The table never forgets an address, and has room for a fixed number.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cbr_address_entry {
  _Atomic uintptr_t address;
  _Atomic uint64_t word;
};

struct cbr_address_table {
  // The number of entries less 1; the number is a power of two.
  size_t mask;
  // How many entries have an address.
  _Atomic size_t count;
  // A number that changes when the word of an address is replaced or cleared: words that a thread
  // has kept are stale then. Different tables begin with different numbers.
  _Atomic uint32_t epoch;
  struct cbr_address_entry entries[];
};

// Creates a table of 2^bits entries, three quarters of which are used at most; NULL if memory is
// exhausted. Memory of entries that are not used is not touched.
struct cbr_address_table *_Nullable cbr_address_table_create(unsigned bits);
void cbr_address_table_free(struct cbr_address_table *_Nullable table);

static inline size_t cbr_address_index(const struct cbr_address_table *table, uintptr_t address) {
  return (address * UINT64_C(0x9E3779B97F4A7C15) >> 24) & table->mask;
}

// The word of an address; 0 if it has none.
static inline uint64_t cbr_address_word(const struct cbr_address_table *table, uintptr_t address) {
  for (size_t index = cbr_address_index(table, address);; index = (index + 1) & table->mask) {
    const struct cbr_address_entry *entry = &table->entries[index];
    uintptr_t found = atomic_load_explicit(&entry->address, memory_order_acquire);
    if (found == address) return atomic_load_explicit(&entry->word, memory_order_acquire);
    if (found == 0) return 0;
  }
}

// Makes an entry for an address. Returns false if there is no room.
bool cbr_address_reserve(struct cbr_address_table *table, uintptr_t address);

// Stores the word of an address that has none. Returns the word that the address has then, which is
// another thread's if that thread was first; 0 if there is no room.
uint64_t cbr_address_claim(struct cbr_address_table *table, uintptr_t address, uint64_t word);

// Stores the word of an address, 0 to clear it. Returns false if there is no room.
bool cbr_address_store(struct cbr_address_table *table, uintptr_t address, uint64_t word);

// Clears the words of all addresses.
void cbr_address_clear(struct cbr_address_table *table);

#pragma clang assume_nonnull end
