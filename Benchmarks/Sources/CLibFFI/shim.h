// libffi, for its compiler and linker flags. Manual: https://sourceware.org/libffi/
#pragma once

#include <ffi.h>
