// The entry code of interposed functions, and calls with a return address elsewhere. See
// CBRInterposedCalls.h and CBRImportSlots.h.
#if defined(__x86_64__)
#include "CBRFunctions.h"
#include "CBRInterposedCalls.h"
#include "CBRReentrancy.h"

  .text

// Stubs of interposed functions jump here; r11 holds their `cbr_interposed`.
function cbr_enter_interposed
  // rax may hold the number of floating-point registers; C does not use r10.
  mov cbr_reentrancy@gottpoff(%rip), %r10
  cmpq $0, %fs:CBR_REENTRANCY_IGNORED(%r10)
  jne 1f
  push %r11
  .cfi_adjust_cfa_offset 8
  mov 8(%rsp), %r11
  mov %r11, %fs:CBR_REENTRANCY_CALLER(%r10)
  lea 16(%rsp), %r11
  mov %r11, %fs:CBR_REENTRANCY_STACK(%r10)
  mov %rbp, %fs:CBR_REENTRANCY_FRAME(%r10)
  mov %r13, %fs:CBR_REENTRANCY_SELF(%r10)
  pop %r11
  .cfi_adjust_cfa_offset -8
  jmp *CBR_INTERPOSED_HOOKED(%r11)
1:
  jmp *CBR_INTERPOSED_ORIGINAL(%r11)
end cbr_enter_interposed

// void *cbr_call_through(first, second, function, gate): calls `function(first, second)` so that it
// returns to the gate's code, a `ret` instruction, which returns to this code. Where a shadow stack
// forbids that, it makes an ordinary call.
function cbr_call_through
  push_frame
  xor %eax, %eax
  rdsspq %rax
  test %rax, %rax
  jne 2f
  // At the function's entry the stack pointer is 8 below a multiple of 16, as after a call.
  sub $8, %rsp
  lea 1f(%rip), %rax
  push %rax
  push (%rcx)
  jmp *%rdx
1:
  .cfi_remember_state
  pop_frame
  ret
2:
  .cfi_restore_state
  call *%rdx
  pop_frame
  ret
end cbr_call_through

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
