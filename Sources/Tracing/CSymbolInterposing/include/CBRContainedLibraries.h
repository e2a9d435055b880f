// The libraries that a program contains: they are told apart by the symbols of their code.
#pragma once

#pragma clang assume_nonnull begin

// Adds a beginning of symbols of this library's own code. Called before code is looked at; the
// string stays.
void cbr_add_own_symbols(const char *beginning);

// The file of the library that code belongs to, as if it were one of its own, or the path of its
// image as the loader has it: empty for the program. NULL if no image holds the code.
//
// Without symbols, libdispatch is known by where its functions are; other libraries are the
// program's then.
const char *_Nullable cbr_library_of(const void *code);

#pragma clang assume_nonnull end
