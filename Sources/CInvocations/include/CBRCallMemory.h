// The memory of a call: copies of its registers, and its arguments on the stack.
//
// Assembly loads the registers from there and calls a function; other assembly, which a call enters, saves
// its registers there. Specification: System V ABI, AMD64 supplement, 3.2.3. Included by C and by assembly.
#pragma once

// rdi, rsi, rdx, rcx, r8, r9
#define CBR_MEMORY_INTEGERS 0
// the low eight bytes of xmm0 to xmm7
#define CBR_MEMORY_FLOATS 48
// rax and rdx; also a result of one integer and one floating-point half, in memory order
#define CBR_MEMORY_RESULT 112
// the low eight bytes of xmm0 and xmm1
#define CBR_MEMORY_FLOAT_RESULT 128
// st(0) and st(1)
#define CBR_MEMORY_X87_RESULT 144
// the arguments on the stack; of a call that has entered, the caller's own stack arguments
#define CBR_MEMORY_STACK 192

// How a result is returned.
#define CBR_RESULT_PLAIN 0
#define CBR_RESULT_INTEGER_FLOAT 1
#define CBR_RESULT_FLOAT_INTEGER 2
#define CBR_RESULT_X87 3
#define CBR_RESULT_COMPLEX_X87 4

// A narrow call takes at most so many integer and floating-point arguments, none on the stack, and returns
// its result in one register.
#define CBR_NARROW_INTEGERS 3
#define CBR_NARROW_FLOATS 2

#ifndef __ASSEMBLER__
#include <stdint.h>

#pragma clang assume_nonnull begin

#if defined(__x86_64__)
#define CBR_HAS_CALL_PLANS 1

// Calls `function` with the registers of `memory`, `floats` of them floating-point ones, and stores the
// result, which must be `CBR_RESULT_PLAIN`, there.
void cbr_call_registers(void *memory, const void *function, uint32_t floats);

// Does the same with `stack_bytes` bytes of arguments on the stack, a multiple of 16, and any result.
void cbr_call_memory(void *memory, const void *function, uint32_t floats, uint32_t stack_bytes,
                    uint32_t result);

// PlainCall.swift repeats these numbers in code that is inlined into other modules.
_Static_assert(CBR_MEMORY_INTEGERS == 0 && CBR_MEMORY_FLOATS == 48 && CBR_MEMORY_RESULT == 112 &&
                   CBR_MEMORY_FLOAT_RESULT == 128 && CBR_NARROW_INTEGERS == 3 &&
                   CBR_NARROW_FLOATS == 2,
               "see PlainCall.swift");
#else
#define CBR_HAS_CALL_PLANS 0
static inline void cbr_call_registers(void *memory, const void *function, uint32_t floats) {}
static inline void cbr_call_memory(void *memory, const void *function, uint32_t floats,
                                  uint32_t stack_bytes, uint32_t result) {}
#endif

#pragma clang assume_nonnull end
#endif
