// Calls of Swift methods as calls of C functions, and back. See CBRSwiftMethods.h.
//
// Specification: swift/docs/ABI/CallingConvention.rst; AAPCS64, 6.8.
#if defined(__aarch64__)
#include "CBRFunctions.h"
#include "CBRSwiftMethods.h"

  .text

// Stubs of hooked methods jump here; x17 holds the method. Swift passes the receiver in x20, C as the first
// argument. Only bit 0 of a Swift Bool is significant, but eight bits of C's.
function cbr_enter_swift_method
  ldp x9, x10, [x17, #CBR_METHOD_MASKS]
  ldp x11, x12, [x17, #(CBR_METHOD_MASKS + 16)]
  ldr x13, [x17, #(CBR_METHOD_MASKS + 32)]
  and x5, x4, x13
  and x4, x3, x12
  and x3, x2, x11
  and x2, x1, x10
  and x1, x0, x9
  mov x0, x20
  ldr x16, [x17, #CBR_METHOD_TARGET]
  br x16
end cbr_enter_swift_method

// Stubs for the methods that the hooks proceed to jump here: C functions with the receiver as the first
// argument.
function cbr_call_swift_method
  sign_return_address
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  mov x29, sp
  stp x19, x20, [sp, #16]
  .cfi_offset x19, -16
  .cfi_offset x20, -8
  mov x19, x17
  mov x20, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  mov x3, x4
  mov x4, x5
  ldr x9, [x19, #CBR_METHOD_TARGET]
  blr x9
  ldr x9, [x19, #CBR_METHOD_RESULT_MASK]
  and x0, x0, x9
  ldp x19, x20, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_def_cfa_offset 0
  .cfi_restore x19
  .cfi_restore x20
  .cfi_restore x29
  .cfi_restore x30
  authenticate_return_address
  ret
end cbr_call_swift_method

  mark_image
#endif
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
