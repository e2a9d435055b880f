// The memory of a call: copies of its registers, and its arguments on the stack.
//
// Assembly loads the registers from there and calls a function; other assembly, which a call
// enters, saves its registers there. The offsets are the processor's. C and assembly include this
// file.
#pragma once

#if defined(__x86_64__)
#define CBR_HAS_CALL_PLANS 1
#include "x86_64/CBRCallMemory.h"
#elif defined(__aarch64__)
#define CBR_HAS_CALL_PLANS 1
#include "aarch64/CBRCallMemory.h"
#else
#define CBR_HAS_CALL_PLANS 0
#include "other/CBRCallMemory.h"
#endif

// In place of how a result is returned: a variadic call goes on, with its registers as they are in
// its memory and the stack as the caller left it, at the address at `CBR_MEMORY_RESULT`; the word
// after that is then where a stub would have its entry.
#define CBR_RESULT_JUMP 15

// A narrow call takes at most so many integer and floating-point arguments, none on the stack, and
// returns its result in one register.
#define CBR_NARROW_INTEGERS 3
#define CBR_NARROW_FLOATS 2

#ifndef __ASSEMBLER__
#include <stdint.h>

#pragma clang assume_nonnull begin

// PlainCall+x86_64.swift and PlainCall+aarch64.swift pass so many.
_Static_assert(CBR_NARROW_INTEGERS == 3 && CBR_NARROW_FLOATS == 2, "see PlainCall+….swift");

#if CBR_HAS_CALL_PLANS

// Calls `function` with the registers of `memory`, of which `floats` floating-point registers are
// in use, and stores the result, which must be `CBR_RESULT_PLAIN`, in `memory`.
void cbr_call_registers(void *memory, const void *function, uint32_t floats);

// Make such calls while none of the thread's calls of hooked functions are ignored
// (CBRReentrancy.h). The narrow functions call functions of at most `CBR_NARROW_INTEGERS` integers
// and `CBR_NARROW_FLOATS` floating-point numbers, with a result in one register.
void cbr_call_unguarded(void *memory, const void *function, uint32_t floats);
void cbr_call_narrow_unguarded(void *memory, const void *function, uint32_t floats);
void cbr_call_narrow_float_unguarded(void *memory, const void *function, uint32_t floats);

// Does what `cbr_call_registers` does with `stack_bytes` bytes of arguments on the stack, a
// multiple of 16, and any result.
void cbr_call_memory(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
                     uint32_t result);
#else
static inline void cbr_call_registers(void *memory, const void *function, uint32_t floats) {}
static inline void cbr_call_unguarded(void *memory, const void *function, uint32_t floats) {}
static inline void cbr_call_narrow_unguarded(void *memory, const void *function, uint32_t floats) {}
static inline void cbr_call_narrow_float_unguarded(void *memory, const void *function,
                                                   uint32_t floats) {}
static inline void cbr_call_memory(void *memory, const void *function, uint32_t floats,
                                   uint32_t stack_bytes, uint32_t result) {}
#endif

// A function that does what `cbr_call_memory` does.
typedef void (*cbr_memory_call)(void *memory, const void *function, uint32_t floats,
                                uint32_t stack_bytes, uint32_t result);

#if defined(__x86_64__)
// Do what `cbr_call_memory` does for calls with vectors, whose memory has so many bytes of each
// vector register.
void cbr_call_vectors_16(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
                         uint32_t result);
void cbr_call_vectors_32(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
                         uint32_t result);
void cbr_call_vectors_64(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
                         uint32_t result);

// Whether the processor and the system have vector registers of so many bytes.
_Bool cbr_has_vectors(uint32_t bytes);

// The function for calls with so many bytes of each vector register in their memory, which may be
// 0.
static inline cbr_memory_call cbr_memory_call_of(uint32_t vector_bytes) {
  return vector_bytes == 0    ? cbr_call_memory
         : vector_bytes == 16 ? cbr_call_vectors_16
         : vector_bytes == 32 ? cbr_call_vectors_32
                              : cbr_call_vectors_64;
}
#else
static inline _Bool cbr_has_vectors(uint32_t bytes) { return 1; }
static inline cbr_memory_call cbr_memory_call_of(uint32_t vector_bytes) { return cbr_call_memory; }
#endif

#pragma clang assume_nonnull end
#endif
