// libffi, and accessors for what Swift cannot import.
//
// Manual: https://sourceware.org/libffi/
#pragma once

#include <ffi.h>

// `ffi_type_…` are mutable globals, which Swift 6 rejects.
static inline ffi_type *cffi_type_void(void) { return &ffi_type_void; }
static inline ffi_type *cffi_type_uint8(void) { return &ffi_type_uint8; }
static inline ffi_type *cffi_type_sint8(void) { return &ffi_type_sint8; }
static inline ffi_type *cffi_type_uint16(void) { return &ffi_type_uint16; }
static inline ffi_type *cffi_type_sint16(void) { return &ffi_type_sint16; }
static inline ffi_type *cffi_type_uint32(void) { return &ffi_type_uint32; }
static inline ffi_type *cffi_type_sint32(void) { return &ffi_type_sint32; }
static inline ffi_type *cffi_type_uint64(void) { return &ffi_type_uint64; }
static inline ffi_type *cffi_type_sint64(void) { return &ffi_type_sint64; }
static inline ffi_type *cffi_type_float(void) { return &ffi_type_float; }
static inline ffi_type *cffi_type_double(void) { return &ffi_type_double; }
static inline ffi_type *cffi_type_longdouble(void) { return &ffi_type_longdouble; }
static inline ffi_type *cffi_type_complex_longdouble(void) { return &ffi_type_complex_longdouble; }
static inline ffi_type *cffi_type_pointer(void) { return &ffi_type_pointer; }

// Macros whose values Swift does not import.
static inline ffi_abi cffi_default_abi(void) { return FFI_DEFAULT_ABI; }
static inline unsigned short cffi_type_code_struct(void) { return FFI_TYPE_STRUCT; }

// Swift would need the exact function type; any code address will do.
static inline void cffi_call(ffi_cif *interface, const void *function, void *result,
                             void **arguments) {
  ffi_call(interface, (void (*)(void))function, result, arguments);
}
