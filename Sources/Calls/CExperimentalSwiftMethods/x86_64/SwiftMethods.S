// Calls of Swift methods as calls of C functions, and back. See CBRSwiftMethods.h.
//
// Specification: swift/docs/ABI/CallingConvention.rst; System V ABI, AMD64 supplement, 3.2.
#if defined(__x86_64__)
#include "CBRFunctions.h"
#include "CBRSwiftMethods.h"

  .text

// Stubs of hooked methods jump here; r11 holds the method. Swift passes the receiver in r13, C as the first
// argument. Only bit 0 of a Swift Bool is significant, but eight bits of C's.
function cbr_enter_swift_method
  mov %r8, %r9
  mov %rcx, %r8
  mov %rdx, %rcx
  mov %rsi, %rdx
  mov %rdi, %rsi
  mov %r13, %rdi
  and CBR_METHOD_MASKS(%r11), %rsi
  and CBR_METHOD_MASKS+8(%r11), %rdx
  and CBR_METHOD_MASKS+16(%r11), %rcx
  and CBR_METHOD_MASKS+24(%r11), %r8
  and CBR_METHOD_MASKS+32(%r11), %r9
  jmp *CBR_METHOD_TARGET(%r11)
end cbr_enter_swift_method

// Stubs for the methods that the hooks proceed to jump here: C functions with the receiver as the first
// argument.
function cbr_call_swift_method
  push %rbx
  .cfi_def_cfa_offset 16
  .cfi_offset %rbx, -16
  push %r13
  .cfi_def_cfa_offset 24
  .cfi_offset %r13, -24
  sub $8, %rsp
  .cfi_def_cfa_offset 32
  mov %r11, %rbx
  mov %rdi, %r13
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %rcx
  mov %r9, %r8
  call *CBR_METHOD_TARGET(%rbx)
  and CBR_METHOD_RESULT_MASK(%rbx), %rax
  add $8, %rsp
  .cfi_def_cfa_offset 24
  pop %r13
  .cfi_def_cfa_offset 16
  .cfi_restore %r13
  pop %rbx
  .cfi_def_cfa_offset 8
  .cfi_restore %rbx
  ret
end cbr_call_swift_method

  mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
