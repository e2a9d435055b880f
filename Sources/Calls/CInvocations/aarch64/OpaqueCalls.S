// The code that replaces code whose signature is unknown. See CBROpaqueCalls.h.
//
// Of vector registers it preserves the 16 bytes that AAPCS64 knows, not longer ones (SVE).
#if defined(__aarch64__)
#include "CBRFunctions.h"
#include "CBROpaqueCalls.h"

// The sizes of the saved registers: of arguments, x0 to x8 and x17; of results, x0 to x3, of which
// C uses two and Swift all; and of vector registers.
#define ARGUMENTS 224
#define RESULTS 112

// The rules for unwinders while an original runs, when x19 is the address of the call's `struct
// kept`: where the caller's x19 and the return address are saved. (DW_CFA_expression with the one
// operation DW_OP_breg19: the register is saved at x19 plus an offset.)
.macro cfi_kept_x19
  .cfi_escape 0x10, 0x13, 2, 0x83, CBR_OPAQUE_KEPT_REGISTER
.endm
.macro cfi_kept_return_address
  .cfi_escape 0x10, 0x1e, 2, 0x83, CBR_OPAQUE_KEPT_RETURN_ADDRESS
.endm

  .text
function cbr_enter_opaque
  .cfi_personality 0x1b, cbr_opaque_unwind
  mov x10, x30
  push_frame ARGUMENTS
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x17, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x0, x17
  add x1, sp, #ARGUMENTS
  mov x2, x10
  bl cbr_opaque_begin
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x17, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  pop_frame ARGUMENTS
  ldr x16, [x17, #CBR_OPAQUE_ORIGINAL]
  .cfi_remember_state
  cbz x9, 1f
  stp x30, x19, [x9, #CBR_OPAQUE_KEPT_RETURN_ADDRESS]
  mov x19, x9
  cfi_kept_x19
  // The original finds its arguments on the stack where the caller put them.
  cfi_kept_return_address
  blr x16
  .globl cbr_opaque_return
  .hidden cbr_opaque_return
cbr_opaque_return:
  mov x9, x19
  ldp x30, x19, [x9, #CBR_OPAQUE_KEPT_RETURN_ADDRESS]
  .cfi_restore x19
  .cfi_restore x30
  push_frame RESULTS
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp q0, q1, [sp, #48]
  stp q2, q3, [sp, #80]
  mov x0, x9
  add x1, sp, #16
  bl cbr_opaque_end
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp q0, q1, [sp, #48]
  ldp q2, q3, [sp, #80]
  pop_frame RESULTS
  ret
1:
  .cfi_restore_state
  br x16
end cbr_enter_opaque

mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
