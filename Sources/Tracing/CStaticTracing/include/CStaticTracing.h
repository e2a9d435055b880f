// The start of the tracer in a program that contains it, and the libraries that it traces.
#pragma once

#include <stdbool.h>

#pragma clang assume_nonnull begin

// Called once, before the program's main function; implemented in Swift.
void startStaticTracing(void);

// Adds the functions that the linker wraps to the import slots. False if the program does not
// contain them: it is traced by a library that is preloaded.
bool cbr_add_static_functions(void);

#pragma clang assume_nonnull end
