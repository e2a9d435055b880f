// The code that replaces code whose signature is unknown. See CBROpaqueCalls.h.
#if defined(__x86_64__)
#include "CBRFunctions.h"
#include "CBROpaqueCalls.h"

#define REGISTERS 64
// The results of Swift's convention, too, which returns words in rax, rdx, rcx and r8.
#define RESULTS 32

// The rules for unwinders while an original runs, when rbx is the address of the call's `struct
// kept`: where the caller's rbx and the return address are saved. (DW_CFA_expression with the one
// operation DW_OP_breg3: the register is saved at rbx plus an offset.)
.macro cfi_kept_rbx
  .cfi_escape 0x10, 0x03, 2, 0x73, CBR_OPAQUE_KEPT_REGISTER
.endm
.macro cfi_kept_return_address
  .cfi_escape 0x10, 0x10, 2, 0x73, CBR_OPAQUE_KEPT_RETURN_ADDRESS
.endm

// Saves the vector registers in their full width, and the x87's, at rsp, which is aligned to 64
// bytes.
.macro keep_vectors
  cmpb $0, cbr_opaque_xsaves(%rip)
  je 8f
  xor %edx, %edx
  .irp word, 0, 8, 16, 24, 32, 40, 48, 56
  movq $0, (512 + \word)(%rsp)
  .endr
  mov $CBR_OPAQUE_COMPONENTS, %eax
  xsave64 (%rsp)
  jmp 9f
8:
  fxsave64 (%rsp)
9:
.endm

// Restores the registers that `keep_vectors` saved.
.macro give_vectors_back
  cmpb $0, cbr_opaque_xsaves(%rip)
  je 8f
  xor %edx, %edx
  mov $CBR_OPAQUE_COMPONENTS, %eax
  xrstor64 (%rsp)
  jmp 9f
8:
  fxrstor64 (%rsp)
9:
.endm

  .text
function cbr_enter_opaque
  .cfi_personality 0x1b, cbr_opaque_unwind
  push_frame
  sub $(CBR_OPAQUE_VECTORS + REGISTERS), %rsp
  and $-64, %rsp
  mov %rdi, (CBR_OPAQUE_VECTORS)(%rsp)
  mov %rsi, (CBR_OPAQUE_VECTORS + 8)(%rsp)
  mov %rdx, (CBR_OPAQUE_VECTORS + 16)(%rsp)
  mov %rcx, (CBR_OPAQUE_VECTORS + 24)(%rsp)
  mov %r8, (CBR_OPAQUE_VECTORS + 32)(%rsp)
  mov %r9, (CBR_OPAQUE_VECTORS + 40)(%rsp)
  mov %rax, (CBR_OPAQUE_VECTORS + 48)(%rsp)
  mov %r11, (CBR_OPAQUE_VECTORS + 56)(%rsp)
  keep_vectors
  mov %r11, %rdi
  lea 8(%rbp), %rsi
  mov 8(%rbp), %rdx
  call cbr_opaque_begin
  mov %rax, %r10
  give_vectors_back
  mov (CBR_OPAQUE_VECTORS)(%rsp), %rdi
  mov (CBR_OPAQUE_VECTORS + 8)(%rsp), %rsi
  mov (CBR_OPAQUE_VECTORS + 16)(%rsp), %rdx
  mov (CBR_OPAQUE_VECTORS + 24)(%rsp), %rcx
  mov (CBR_OPAQUE_VECTORS + 32)(%rsp), %r8
  mov (CBR_OPAQUE_VECTORS + 40)(%rsp), %r9
  mov (CBR_OPAQUE_VECTORS + 48)(%rsp), %rax
  mov (CBR_OPAQUE_VECTORS + 56)(%rsp), %r11
  pop_frame
  test %r10, %r10
  .cfi_remember_state
  je 1f
  mov %rbx, CBR_OPAQUE_KEPT_REGISTER(%r10)
  mov %r10, %rbx
  cfi_kept_rbx
  // The call pushes the original's return address where the caller's was, next to the caller's
  // arguments.
  cfi_kept_return_address
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  call *CBR_OPAQUE_ORIGINAL(%r11)
  .globl cbr_opaque_return
  .hidden cbr_opaque_return
cbr_opaque_return:
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  push_frame
  mov %rbx, %rdi
  mov CBR_OPAQUE_KEPT_RETURN_ADDRESS(%rdi), %rsi
  mov %rsi, 8(%rbp)
  .cfi_restore %rip
  mov CBR_OPAQUE_KEPT_REGISTER(%rdi), %rbx
  .cfi_restore %rbx
  sub $(CBR_OPAQUE_VECTORS + RESULTS), %rsp
  and $-64, %rsp
  mov %rax, (CBR_OPAQUE_VECTORS)(%rsp)
  mov %rdx, (CBR_OPAQUE_VECTORS + 8)(%rsp)
  mov %rcx, (CBR_OPAQUE_VECTORS + 16)(%rsp)
  mov %r8, (CBR_OPAQUE_VECTORS + 24)(%rsp)
  keep_vectors
  // A result in the x87's registers was saved: the observer finds them empty, as every function may
  // expect.
  emms
  mov %rsp, %rsi
  call cbr_opaque_end
  give_vectors_back
  mov (CBR_OPAQUE_VECTORS)(%rsp), %rax
  mov (CBR_OPAQUE_VECTORS + 8)(%rsp), %rdx
  mov (CBR_OPAQUE_VECTORS + 16)(%rsp), %rcx
  mov (CBR_OPAQUE_VECTORS + 24)(%rsp), %r8
  pop_frame
  ret
1:
  .cfi_restore_state
  jmp *CBR_OPAQUE_ORIGINAL(%r11)
end cbr_enter_opaque

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
