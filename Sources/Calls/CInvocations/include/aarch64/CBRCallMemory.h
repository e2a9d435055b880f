// Where the registers of a call are in its memory, on AArch64. Specification: Procedure Call
// Standard for the Arm 64-bit Architecture (AAPCS64), 6.8 and 6.9.
#pragma once

// x0 to x7
#define CBR_MEMORY_INTEGERS 0
// the address of a result in memory: x8
#define CBR_MEMORY_RESULT_ADDRESS 64
// q0 to q7, whole
#define CBR_MEMORY_FLOATS 80
#define CBR_MEMORY_FLOAT_SIZE 16
// x0 and x1
#define CBR_MEMORY_RESULT 208
// q0; also the members of a homogeneous aggregate, in memory order
#define CBR_MEMORY_FLOAT_RESULT 224
// the arguments on the stack; of a call that has entered, the caller's own stack arguments
#define CBR_MEMORY_STACK 304

// How many registers pass integers, and floating-point numbers.
#define CBR_INTEGER_REGISTERS 8
#define CBR_FLOAT_REGISTERS 8

// How a result is returned: in x0 and x1 or in v0; or the members of a homogeneous aggregate in v0
// to v3.
#define CBR_RESULT_PLAIN 0
#define CBR_RESULT_FLOATS 1
#define CBR_RESULT_DOUBLES 2
#define CBR_RESULT_QUADS 3

#ifndef __ASSEMBLER__
// PlainCall+aarch64.swift repeats these numbers in code that is inlined into other modules.
_Static_assert(CBR_MEMORY_INTEGERS == 0 && CBR_MEMORY_FLOATS == 10 * 8 && CBR_MEMORY_FLOAT_SIZE == 2 * 8 &&
                   CBR_MEMORY_RESULT == 26 * 8 && CBR_MEMORY_FLOAT_RESULT == 28 * 8 &&
                   CBR_MEMORY_STACK == 288 + 16,
               "see PlainCall+aarch64.swift");
#endif
