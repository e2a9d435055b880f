// What a slot holds that the loader has yet to bind: the way to its binder, which each processor's linkers
// write.
#pragma once

#include "CBRImportSlots.h"

// How many bytes from an address on are code of the object that may be read.
__attribute__((visibility("hidden"))) size_t cbr_binder_code_length(
    const struct cbr_binder *binder, uintptr_t address);
