// Words through which calls of functions go that are linked into the program: import slots that the
// linker did not make, but its option --wrap.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

struct cbr_wrapped_slot {
  const char *name;
  // The path of the image that calls through the slot, as import slots have it: empty for the
  // program.
  const char *image;
  // It holds the address of the function, or NULL if the program has none.
  const void *_Nullable *_Nonnull slot;
  // Code that calls the function, and nothing else, if the function is libdispatch's. It replaces
  // the function: one of libdispatch may call another last, as dispatch_after calls dispatch_async,
  // and by the return address that call is libdispatch's then.
  const void *_Nullable call;
};

// So many bytes the code of `call` has, at most.
#define CBR_WRAPPED_CALL_SIZE 32

// Adds slots to the import slots. Called once, before those are looked for; the slots stay. Without
// memory there are none.
void cbr_add_wrapped_slots(const struct cbr_wrapped_slot *slots, size_t count);

// Whether code lies between functions of libdispatch: the linker puts a library's functions side by
// side.
bool cbr_is_between_dispatch_functions(const void *code);

// Whether code is that which calls functions of libdispatch.
bool cbr_is_dispatch_call(const void *code);

// Whether the program contains the functions whose calls are hooked.
bool cbr_has_wrapped_slots(void);

#pragma clang assume_nonnull end
