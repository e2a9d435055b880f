// The replacement of `vfork`. See CBRVForkedCalls.h.
#if defined(__x86_64__)
#include "CBRCallEntry.h"
#include "CBRFunctions.h"
#include "CBRReentrancy.h"

#define SYS_VFORK 58

  .text

// The child returns first, on the same stack, and overwrites what is below its caller's frame. So
// the values that the parent needs stay in registers, which the kernel saves for each process:
//   rdi: the return address
//   r8:  the thread's record
//   r9:  its topmost hazard pointer
//   r10: the count of its scopes in which calls are ignored
function cbr_vfork
  mov cbr_reentrancy@gottpoff(%rip), %rax
  mov %fs:CBR_REENTRANCY_IGNORED(%rax), %r10
  mov cbr_this_thread@gottpoff(%rip), %rax
  mov %fs:(%rax), %r8
  mov CBR_THREAD_TOP(%r8), %r9
  pop %rdi
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %rdi
  mov $SYS_VFORK, %eax
  syscall
  push %rdi
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rip, 0
  test %eax, %eax
  je 1f
  // The parent: cbr_vfork_returned(thread, top, ignored, outcome, stack).
  mov %r8, %rdi
  mov %r9, %rsi
  mov %r10, %rdx
  mov %eax, %ecx
  lea 8(%rsp), %r8
  jmp cbr_vfork_returned
1:
  // A shadow stack is shared with the parent, so the child leaves its word there.
  xor %edx, %edx
  rdsspq %rdx
  test %rdx, %rdx
  jne 2f
  ret
2:
  pop %rdi
  .cfi_adjust_cfa_offset -8
  .cfi_register %rip, %rdi
  jmp *%rdi
end cbr_vfork

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
