// The code in place of code whose signature is not known. See CBROpaqueCalls.h.
#if defined(__x86_64__)
#include "Functions.h"
#include "include/CBROpaqueCalls.h"

#define REGISTERS 192
#define RESULTS 48

  .text
function cbr_enter_opaque
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  sub $REGISTERS, %rsp
  mov %rdi, (%rsp)
  mov %rsi, 8(%rsp)
  mov %rdx, 16(%rsp)
  mov %rcx, 24(%rsp)
  mov %r8, 32(%rsp)
  mov %r9, 40(%rsp)
  mov %rax, 48(%rsp)
  mov %r11, 56(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  mov %r11, %rdi
  lea 8(%rbp), %rsi
  call cbr_opaque_begin
  movzbl %al, %r10d
  mov (%rsp), %rdi
  mov 8(%rsp), %rsi
  mov 16(%rsp), %rdx
  mov 24(%rsp), %rcx
  mov 32(%rsp), %r8
  mov 40(%rsp), %r9
  mov 48(%rsp), %rax
  mov 56(%rsp), %r11
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  test %r10d, %r10d
  je 1f
  // The original's return address takes the place of the caller's, below the caller's arguments.
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  call *CBR_OPAQUE_ORIGINAL(%r11)
  .globl cbr_opaque_return
  .hidden cbr_opaque_return
cbr_opaque_return:
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  sub $RESULTS, %rsp
  mov %rax, (%rsp)
  mov %rdx, 8(%rsp)
  movups %xmm0, 16(%rsp)
  movups %xmm1, 32(%rsp)
  lea 8(%rbp), %rdi
  call cbr_opaque_end
  mov %rax, 8(%rbp)
  mov (%rsp), %rax
  mov 8(%rsp), %rdx
  movups 16(%rsp), %xmm0
  movups 32(%rsp), %xmm1
  leave
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  ret
1:
  jmp *CBR_OPAQUE_ORIGINAL(%r11)
end cbr_enter_opaque

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
