// Import slots: the words of loaded objects through which they call functions of other objects, or
// take their addresses.
//
// Specification: System V ABI, chapter 5, and its AMD64 and AArch64 supplements (JUMP_SLOT,
// GLOB_DAT); the GNU symbol versions of the Linux Standard Base.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The value of a slot of calls until it is bound: the address of code in the object that calls the
// loader.
struct cbr_binder {
  uintptr_t base;
  // The object's program headers.
  const void *headers;
  size_t header_count;
  // The object's table of slots (DT_PLTGOT), whose second and third words belong to the loader; 0
  // if none.
  uintptr_t table;
  // The index of the slot's relocation among those of calls (DT_JMPREL), SIZE_MAX if it is not one
  // of them.
  size_t index;
};

// Whether a value of a slot is the address of the code that binds this slot.
bool cbr_leads_to_binder(const struct cbr_binder *binder, const void *_Nullable value);

struct cbr_import_slot {
  // The object's path as the loader has it; empty for the program itself.
  const char *image;
  const char *symbol;
  // The version that the object requires, or defines the symbol in itself; NULL if none.
  const char *_Nullable version;
  const void *_Nullable *_Nonnull place;
  const void *_Nullable value;
  // Whether calls go through the slot; otherwise the object takes the address from it.
  bool is_call;
  // Whether the loader has relocated the slot. Until then it holds the word from the file, to which
  // the loader adds the base, or 0. The slot of a weak symbol that no object defines stays 0.
  bool is_relocated;
  // Whether the slot lies in pages that the loader makes read-only when it has relocated the
  // object. While they are writable it may do so at any moment, as it does not hold the lock under
  // which slots are visited.
  bool is_sealed_later;
  // Whether the slot holds what it was bound to. Under lazy binding it first leads to the loader,
  // which then overwrites it.
  bool is_bound;
  struct cbr_binder binder;
};

// Reads the slot's value again. Its object must be loaded.
void cbr_read_slot(struct cbr_import_slot *slot);

// How often objects have been loaded and unloaded.
struct cbr_load_counts {
  uint64_t loaded, unloaded;
};

// Calls `body` under the lock of the list of objects, during which none is unloaded and the counts
// do not change. The loader lists objects before it relocates and seals them, which it does under
// another lock.
void cbr_with_loaded_objects(void *_Nullable context,
                             void (*body)(void *_Nullable context, struct cbr_load_counts counts));

// Calls `visit` for each slot of a symbol, or of all symbols, in each object of the program's
// namespace.
//
// The lock of the list of objects is held: they stay loaded, and `visit` must not call the loader.
// The strings live as long as their objects.
void cbr_visit_import_slots(const char *_Nullable symbol, void *_Nullable context,
                            void (*visit)(void *_Nullable context,
                                          const struct cbr_import_slot *slot));

// A symbol of an object that `dlopen` returned, or of its dependencies; NULL if there is none.
const void *_Nullable cbr_look_up(void *object, const char *symbol, const char *_Nullable version);

// The address to which the loader binds a symbol that an object requires, or NULL: of the objects
// that it searches for that object, the first one that defines the symbol in this version, or
// without versions. `version` is NULL if the object requires none. `place` is an address in the
// object, NULL for the program. It calls the loader.
const void *_Nullable cbr_find_definition(const char *symbol, const char *_Nullable version,
                                          const void *_Nullable place);

// The address of the function that the program's own stub of an imported function leads to, which
// serves as the function's address; NULL if there is none. Another address is returned as it is. It
// calls the loader.
const void *_Nullable cbr_behind_stub(const void *address);

// The address of the function that an object without requirements would find in the program, or
// NULL. It calls the loader.
const void *_Nullable cbr_find_default(const char *symbol);

// Whether an address is that of data which a loaded object defines. It calls the loader.
bool cbr_is_data(const void *address);

// Whether an address is that of a function with AArch64's variant procedure call standard, as
// functions of scalable vectors have it. It calls the loader.
bool cbr_has_variant_calls(const void *address);

// Whether the program is linked statically, and so has no slots.
bool cbr_is_static_program(void);

// Changes a slot if it still holds the value `seen`. The memory must be writable.
bool cbr_change_slot(const void *_Nullable *_Nonnull place, const void *seen, const void *value);

// Waits until the objects that other threads are loading now are relocated, and their constructors
// have run.
void cbr_await_loading(void);

// A function that replaces `dlopen`: it calls `dlopen` so that its caller's search paths apply and
// then, if objects were loaded meanwhile, `loaded`. The argument says whether the thread's calls of
// hooked functions are ignored; locks of this library may be held then. Before and after, it calls
// `unloaded` with the number of objects that have been unloaded so far.
const void *_Nullable cbr_follow_loading(const void *dlopen, void (*unloaded)(uint64_t count),
                                         void (*loaded)(bool is_ignored));

// The address in the loading object's code to which the innermost `dlopen` in progress on the
// thread returns, NULL without one. No function was called from there, so the stack cannot be
// unwound beyond it.
const void *_Nullable cbr_gate_of_load(void);

#pragma clang assume_nonnull end
