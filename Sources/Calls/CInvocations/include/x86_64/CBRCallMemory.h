// Where the registers of a call are in its memory, on x86-64. Specification: System V ABI, AMD64
// supplement, 3.2.3.
#pragma once

// rdi, rsi, rdx, rcx, r8, r9
#define CBR_MEMORY_INTEGERS 0
// the low eight bytes of xmm0 to xmm7
#define CBR_MEMORY_FLOATS 48
#define CBR_MEMORY_FLOAT_SIZE 8
// the address of a result in memory: the first integer register
#define CBR_MEMORY_RESULT_ADDRESS 0
// rax and rdx; also a result of one integer and one floating-point half, in memory order
#define CBR_MEMORY_RESULT 112
// the low eight bytes of xmm0 and xmm1
#define CBR_MEMORY_FLOAT_RESULT 128
// st(0) and st(1)
#define CBR_MEMORY_X87_RESULT 144
// the arguments on the stack; of a call that has entered, the caller's own stack arguments
#define CBR_MEMORY_STACK 192

// Calls with vectors have the whole xmm0 to xmm7, ymm0 to ymm7 or zmm0 to zmm7 in memory of their
// own, and the stack behind them
#define CBR_MEMORY_VECTORS 176

// How many registers pass integers, and floating-point numbers.
#define CBR_INTEGER_REGISTERS 6
#define CBR_FLOAT_REGISTERS 8

// How a result is returned.
#define CBR_RESULT_PLAIN 0
#define CBR_RESULT_INTEGER_FLOAT 1
#define CBR_RESULT_FLOAT_INTEGER 2
#define CBR_RESULT_X87 3
#define CBR_RESULT_COMPLEX_X87 4
// the whole xmm0, ymm0 or zmm0, where all other results are; only of calls with vectors
#define CBR_RESULT_VECTOR 5

#ifndef __ASSEMBLER__
// PlainCall+x86_64.swift repeats these numbers in code that is inlined into other modules.
_Static_assert(CBR_MEMORY_INTEGERS == 0 && CBR_MEMORY_FLOATS == 6 * 8 && CBR_MEMORY_RESULT == 14 * 8 &&
                   CBR_MEMORY_FLOAT_RESULT == 16 * 8 && CBR_MEMORY_X87_RESULT + 32 == 176 &&
                   CBR_MEMORY_RESULT + 64 == CBR_MEMORY_VECTORS,
               "see PlainCall+x86_64.swift");
#endif
