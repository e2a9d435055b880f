// A slot that the loader has not bound yet holds the address of the code that binds it; each
// processor's linkers write that code.
#pragma once

#include "CBRImportSlots.h"

// How many readable bytes of the object's code begin at an address.
__attribute__((visibility("hidden"))) size_t cbr_binder_code_length(
    const struct cbr_binder *binder, uintptr_t address);
