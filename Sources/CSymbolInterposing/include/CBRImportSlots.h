// Import slots: the words of loaded objects through which they call, or take the address of, what
// other objects define.
//
// Specification: System V ABI, chapter 5, and its AMD64 and AArch64 supplements (JUMP_SLOT,
// GLOB_DAT); the GNU symbol versions of the Linux Standard Base.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// What a slot of calls holds until it is bound: the object's own code that asks the loader to.
struct cbr_binder {
  uintptr_t base;
  // The object's program headers.
  const void *headers;
  size_t header_count;
  // The object's table of slots (DT_PLTGOT), whose second and third word are the loader's; 0 if none.
  uintptr_t table;
  // The number of the slot's relocation among those of calls (DT_JMPREL), SIZE_MAX if it is none.
  size_t index;
};

// Whether a slot with some value leads to the loader, and to nothing else in the object.
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *_Nullable value);

struct cbr_import_slot {
  // The object's path as the loader knows it; empty for the program itself.
  const char *image;
  const char *symbol;
  // The version that is asked for, NULL if none.
  const char *_Nullable version;
  const void *_Nullable *_Nonnull place;
  const void *_Nullable value;
  // Whether calls go through the slot; else it holds an address to be taken.
  bool is_call;
  // Whether the loader has relocated the slot: until then it holds what stands in the file, to which the
  // loader adds something, or 0. A slot of nothing, as of a weak symbol that nobody defines, stays 0.
  bool is_relocated;
  // Whether the slot lies in pages that the loader makes read-only when it has relocated the object: while
  // they are writable it may do so at any moment, for it does not hold the lock of those who visit.
  bool is_sealed_later;
  // Whether the slot holds what it was bound to. Under lazy binding it leads to the loader first, which
  // then overwrites it.
  bool is_bound;
  struct cbr_binder binder;
};

// Reads again what a slot holds. Its object must be loaded.
void cbr_read_slot(struct cbr_import_slot *slot);

// How often objects have been loaded and unloaded.
struct cbr_load_counts {
  uint64_t loaded, unloaded;
};

// Calls `body` under the lock of the list of objects: meanwhile none is unloaded, and the counts do not
// change. The loader lists objects before it relocates and seals them, which it does under a lock of its
// own.
void cbr_with_loaded_objects(void *_Nullable context,
                             void (*body)(void *_Nullable context, struct cbr_load_counts counts));

// Calls `visit` for each slot of a symbol, or of all, in each object of the program's namespace.
//
// It holds the lock of the list of objects: they stay loaded, and `visit` must not call the loader. The strings
// live as long as their objects.
void cbr_visit_import_slots(const char *_Nullable symbol, void *_Nullable context,
                            void (*visit)(void *_Nullable context,
                                          const struct cbr_import_slot *slot));

// A symbol of an object that `dlopen` has given, or of what it depends on; NULL if there is none.
const void *_Nullable cbr_look_up(void *object, const char *symbol, const char *_Nullable version);

// What the loader binds a symbol of an object to, or NULL. `image` is its path, empty for the program.
// It calls the loader.
const void *_Nullable cbr_find_definition(const char *symbol, const char *_Nullable version,
                                          const char *image);

// Whether an address is the program's own stub of a function, which stands for the function's address.
// It calls the loader.
bool cbr_is_canonical_stub(const void *address);

// Whether an address is that of data that a loaded object defines. It calls the loader.
bool cbr_is_data(const void *address);

// The path, as the loader knows it, of the object that holds an address: empty for the program, NULL
// if there is none. It calls the loader, and lives as long as the object.
const char *_Nullable cbr_image_of(const void *address);

// Whether the program was linked statically: it has no slots.
bool cbr_is_static_program(void);

// Changes a slot, unless it holds something else than what was seen. The memory must be writable.
bool cbr_change_slot(const void *_Nullable *_Nonnull place, const void *seen, const void *value);

// Waits until what other threads are loading now is relocated, and its constructors have run.
void cbr_await_loading(void);

// Code that takes the place of `dlopen`: calls it as its caller would have, and then, if objects were
// loaded meanwhile, `loaded`, which is told whether the thread's calls are ignored: then locks of the
// library's may be held.
const void *_Nullable cbr_follow_loading(const void *dlopen, void (*loaded)(bool is_ignored));

#pragma clang assume_nonnull end
